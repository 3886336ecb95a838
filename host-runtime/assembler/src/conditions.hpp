#pragma once

#include <vector>

namespace copse::assembler {

/// The .if blocks that are open.
class Conditions {
public:
  /// Whether statements are to be skipped.
  bool isSkipping() const { return !blocks_.empty() && !blocks_.back().isActive; }
  /// Whether the condition of an .if or .elseif counts: false where it would not be looked at.
  bool wantsCondition() const { return !isSkipping(); }
  bool wantsElseCondition() const;

  void open(bool condition);
  /// \throws StatementError for an .elseif or .else without an .if, or behind .else
  void elseIf(bool condition);
  void otherwise();
  void close();
  std::size_t depth() const { return blocks_.size(); }
  /// Gives up blocks that were opened since (.exitm).
  void unwind(std::size_t depth) { blocks_.resize(depth); }

private:
  struct Block {
    bool isActive;   ///< the branch at hand
    bool wasActive;  ///< some branch so far
    bool isOuterOff; ///< the whole block is skipped
    bool hasElse = false;
  };
  Block &innermost(const char *directive);

  std::vector<Block> blocks_;
};

} // namespace copse::assembler
