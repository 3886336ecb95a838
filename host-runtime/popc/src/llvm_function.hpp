#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Functions of a module in LLVM's text, as far as what they cost depends on it. All views point
/// into the module's text.
namespace copse::popc::llvm_text {

struct Instruction {
  std::string_view text;   ///< its line, or lines
  std::string_view result; ///< "%3"; empty if it has none
  std::string_view opcode; ///< "load", "call" (also for "tail call"), "br", ...
  std::string_view
      rest; ///< behind the opcode and its flags: "float, ptr %2, align 4"; what a debugger is told is left out
  std::size_t begin = 0;                ///< where its line begins in the module
  std::vector<std::string_view> values; ///< "%1", ...: the function's values that it uses
};

struct Block {
  std::string_view label; ///< as branches name it: "%7"; empty for the first
  std::size_t first = 0;  ///< of its instructions, an index into Function::instructions
  std::size_t count = 0;
  std::vector<std::size_t> successors;
};

struct Function {
  std::string_view name;   ///< "@_ZN3Add7computeEv"
  std::string_view header; ///< the whole line of its "define"
  std::vector<Block> blocks;
  /// In the order of the text, without those that only tell debuggers where variables are.
  std::vector<Instruction> instructions;

  /// The instruction that gives \p value; none for arguments.
  std::optional<std::size_t> definitionOf(std::string_view value) const;
  std::size_t blockOf(std::size_t instruction) const { return blockOf_[instruction]; }

  std::unordered_map<std::string_view, std::size_t> definitions;
  std::vector<std::size_t> blockOf_;
};

/// All functions that \p module defines.
/// \param module  as clang writes it
std::vector<Function> functionsIn(std::string_view module);

/// The size of a value of that type in a worker's registers [bits]: pointers have 32, as on the
/// tile. 0 for types without a size, and for those that no register holds.
unsigned bitsOf(std::string_view type);

/// "float" of "<2 x float>"; other types as they are.
std::string_view elementOf(std::string_view type);
/// 2 of "<2 x float>"; 1 for other types.
unsigned elementsOf(std::string_view type);

/// The name of the function that a call names, "@f", or the value, "%7".
/// \param rest  Instruction::rest of a call
std::string_view calleeIn(std::string_view rest);

/// What stands between the parentheses of a call.
std::vector<std::string_view> argumentsIn(std::string_view rest);

/// The last word of "i32 noundef %7", an operand without its type.
std::string_view lastWord(std::string_view operand);

} // namespace copse::popc::llvm_text
