#include "debugged_code.hpp"

#include "llvm_function.hpp"
#include "llvm_text.hpp"

#include <string_view>

namespace copse::popc {
namespace {

using llvm_text::Function;
using std::string;
using std::string_view;

/// Returns true if the first parameter is a vertex. This is so for a compute() and for an entry,
/// into which most compute() are inlined.
bool hasVertex(string_view name) {
  return name.find("7computeE") != string_view::npos || name.starts_with("@__runCodelet_");
}

/// Returns "%this" for "define i1 @_ZN3Add7computeEv(ptr nonnull align 4 dereferenceable(24) %this)
/// ...".
string_view vertexOf(const Function &compute) {
  string_view header = compute.header;
  header.remove_prefix(header.find(compute.name) + compute.name.size());
  const std::size_t vertex = header.find('%');
  return vertex == string_view::npos ? "" : nameAt(header.substr(vertex));
}

} // namespace

string withVertexInSight(const string &module) {
  string text;
  std::size_t copied = 0;
  for (const Function &function : llvm_text::functionsIn(module)) {
    const string_view vertex = hasVertex(function.name) ? vertexOf(function) : "";
    if (vertex.empty())
      continue;
    for (const llvm_text::Instruction &instruction : function.instructions) {
      if (instruction.opcode != "ret")
        continue;
      text.append(module, copied, instruction.begin - copied);
      text += "  call void asm sideeffect \"\", \"r\"(ptr " + string(vertex) + ")\n";
      copied = instruction.begin;
    }
  }
  return text.append(module, copied);
}

} // namespace copse::popc
