#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace copse::popc {

/// A statement of inline assembly in LLVM's text.
struct AssemblyCall {
  struct Argument {
    std::string type, value;
  };
  std::string result;                   ///< "  %3 = " or "  "
  std::string type;                     ///< type of the result: "void", "float", "{ i32, ptr }"
  std::vector<std::string> outputs;     ///< types
  std::vector<Argument> arguments;      ///< inputs
  std::string text;                     ///< the instructions, with $0, ${1:x} for operands, and $$
  std::vector<std::string> constraints; ///< outputs, inputs, "~{memory}" and the like
  std::string rest;   ///< text after the arguments, without attributes: ", !dbg !7"
  std::string places; ///< metadata that lists places in the source: "!12"
  bool isGoto = false;
};

/// Reads a statement out of a line.
/// \returns nothing for lines without inline assembly
std::optional<AssemblyCall> assemblyCallIn(std::string_view line);

} // namespace copse::popc
