#include "codelets/constraints.hpp"

#include "codelets/popc.hpp"

#include <algorithm>
#include <regex>

namespace copse::codelets {
namespace {

bool hasField(const VertexType &vertex, const std::string &name) {
  return std::any_of(vertex.fields.begin(), vertex.fields.end(),
                     [&](const Field &field) { return field.name == name; });
}

} // namespace

void checkConstraints(const VertexType &vertex) {
  static const std::regex kForm(R"(\s*(elem|region)\s*\(\s*\**\s*(\w+)\s*\)\s*!=)"
                                R"(\s*(elem|region)\s*\(\s*\**\s*(\w+)\s*\)\s*)");
  for (const std::string &constraint : vertex.constraints) {
    std::smatch parts;
    if (!std::regex_match(constraint, parts, kForm))
      continue;
    for (const std::size_t field : {2, 4})
      if (!hasField(vertex, parts[field]))
        throw CompileError("constraint \"" + constraint + "\" of vertex '" + vertex.name +
                           "': there is no field '" + parts[field].str() +
                           "'; name a field of the class\n");
  }
}

} // namespace copse::codelets
