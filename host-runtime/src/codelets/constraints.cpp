#include "codelets/constraints.hpp"

#include "codelets/popc.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace copse::codelets {
namespace {

bool hasField(const VertexType &vertex, const std::string &name) {
  return std::any_of(vertex.fields.begin(), vertex.fields.end(),
                     [&](const Field &field) { return field.name == name; });
}

/// "field" of "elem(*field)" or "region(*field)"; other forms name none.
std::optional<std::string> fieldNamedBy(std::string side) {
  std::erase_if(side, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '*'; });
  for (const std::string_view kind : {"elem(", "region("})
    if (side.starts_with(kind) && side.ends_with(')'))
      return side.substr(kind.size(), side.size() - kind.size() - 1);
  return std::nullopt;
}

} // namespace

void checkConstraints(const VertexType &vertex) {
  constexpr std::string_view kUnequal = "!=";
  for (const std::string &constraint : vertex.constraints) {
    const std::size_t unequal = constraint.find(kUnequal);
    if (unequal == std::string::npos)
      continue;
    for (const auto &side :
         {constraint.substr(0, unequal), constraint.substr(unequal + kUnequal.size())})
      if (const auto field = fieldNamedBy(side); field && !hasField(vertex, *field))
        throw CompileError("constraint \"" + constraint + "\" of vertex '" + vertex.name +
                           "': there is no field '" + *field + "'; name a field of the class\n");
  }
}

} // namespace copse::codelets
