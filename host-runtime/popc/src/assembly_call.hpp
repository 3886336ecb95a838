#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace copse::popc {

/// A statement of inline assembly as LLVM's text has it.
struct AssemblyCall {
  struct Argument {
    std::string type, value;
  };
  std::string result;                   ///< "  %3 = " or "  "
  std::string type;                     ///< what it gives: "void", "float", "{ i32, ptr }"
  std::vector<std::string> outputs;     ///< types
  std::vector<Argument> arguments;      ///< inputs
  std::string text;                     ///< with $0, ${1:x} for operands, and $$
  std::vector<std::string> constraints; ///< outputs, inputs, "~{memory}" and the like
  std::string rest;                     ///< behind the arguments, without attributes: ", !dbg !7"
  std::string places;                   ///< metadata that lists places in the source: "!12"
  bool isGoto = false;
};

/// \returns nothing for lines without assembly
std::optional<AssemblyCall> assemblyCallIn(std::string_view line);

} // namespace copse::popc
