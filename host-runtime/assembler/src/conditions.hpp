#pragma once

#include <vector>

namespace copse::assembler {

/// The stack of open .if blocks, which decides whether a statement is assembled or skipped. Blocks
/// may nest, in skipped branches too, where conditions are not evaluated: they may use undefined
/// names.
class Conditions {
public:
  /// Returns true if statements are skipped.
  bool isSkipping() const { return !blocks_.empty() && !blocks_.back().isActive; }
  /// Returns true if the condition of an .if or .elseif is evaluated.
  bool wantsCondition() const { return !isSkipping(); }
  bool wantsElseCondition() const;

  void open(bool condition);
  /// \throws StatementError for an .elseif or .else without an .if, or after an .else
  void elseIf(bool condition);
  void otherwise();
  void close();
  std::size_t depth() const { return blocks_.size(); }
  /// Closes blocks opened since \p depth (.exitm).
  void unwind(std::size_t depth) { blocks_.resize(depth); }

private:
  struct Block {
    bool isActive;   ///< the current branch is assembled
    bool wasActive;  ///< some earlier branch was assembled
    bool isOuterOff; ///< the whole block is skipped
    bool hasElse = false;
  };
  Block &innermost(const char *directive);

  std::vector<Block> blocks_;
};

} // namespace copse::assembler
