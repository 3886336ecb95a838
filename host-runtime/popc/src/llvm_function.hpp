#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Reads functions in LLVM's text, as far as their cost depends on it. All views point into the
/// module's text.
namespace copse::popc::llvm_text {

struct Instruction {
  std::string_view text;   ///< its line, or lines
  std::string_view result; ///< "%3"; empty if it has none
  std::string_view opcode; ///< "load", "call" (also for "tail call"), "br", ...
  std::string_view
      rest; ///< the operands, without flags and debug information: "float, ptr %2, align 4"
  std::size_t begin = 0;                ///< place of its line in the module
  std::vector<std::string_view> values; ///< the values of the function that it uses: "%1", ...
};

struct Block {
  std::string_view label; ///< its name in branches: "%7"; empty for the first block
  std::size_t first = 0;  ///< index of its first instruction in Function::instructions
  std::size_t count = 0;
  std::vector<std::size_t> successors;
};

struct Function {
  std::string_view name;   ///< "@_ZN3Add7computeEv"
  std::string_view header; ///< the whole line that begins with "define"
  std::vector<Block> blocks;
  /// All instructions in the order of the text, except those that only tell debuggers where
  /// variables are.
  std::vector<Instruction> instructions;

  /// Returns the instruction that computes \p value; nothing for arguments.
  std::optional<std::size_t> definitionOf(std::string_view value) const;
  std::size_t blockOf(std::size_t instruction) const { return blockOf_[instruction]; }

  std::unordered_map<std::string_view, std::size_t> definitions;
  std::vector<std::size_t> blockOf_;
};

/// Returns all functions that \p module defines.
/// \param module  the output of clang
std::vector<Function> functionsIn(std::string_view module);

/// Returns the size of a value of \p type in a worker's registers [bits]. Pointers have 32 bits, as
/// on the tile. Returns 0 for types without a size and for types that no register holds.
unsigned bitsOf(std::string_view type);

/// Returns "float" for "<2 x float>", and other types unchanged.
std::string_view elementOf(std::string_view type);
/// Returns 2 for "<2 x float>", and 1 for types that are no vectors.
unsigned elementsOf(std::string_view type);

/// Returns the function that a call names, "@f", or the pointer that it calls, "%7".
/// \param rest  Instruction::rest of a call
std::string_view calleeIn(std::string_view rest);

/// Returns the arguments of a call.
std::vector<std::string_view> argumentsIn(std::string_view rest);

/// Returns the last word of an operand with its type, such as "%7" of "i32 noundef %7".
std::string_view lastWord(std::string_view operand);

} // namespace copse::popc::llvm_text
