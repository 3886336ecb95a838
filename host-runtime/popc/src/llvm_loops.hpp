#pragma once

#include "llvm_function.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace copse::popc::llvm_text {

/// A natural loop of a function.
struct Loop {
  std::size_t header = 0;
  std::vector<bool> contains;       ///< shape [blocks]
  std::vector<std::size_t> latches; ///< blocks that go back to the header
  std::vector<std::size_t> exits;   ///< blocks of the loop with a successor outside it
  std::size_t blocks = 0;
  bool isInnermost = true;

  /// Values that grow by a constant amount in every turn (see isStepped()).
  std::vector<std::string_view> inductions;
  std::vector<std::size_t> increments; ///< the instructions that increment them
  /// The instruction that compares, and the block that leaves the loop, if the number of turns is
  /// known before the first turn.
  std::optional<std::size_t> countedBy;
  std::size_t leavingBlock = 0;
  /// The largest number of turns that the text allows.
  std::uint64_t atMost = std::numeric_limits<std::uint64_t>::max();
};

/// Finds the loops of a function and how they nest.
class Loops {
public:
  /// Keeps a reference to \p function.
  explicit Loops(const Function &function);

  /// Returns the innermost loop around \p block; null if no loop contains it.
  const Loop *around(std::size_t block) const;
  const std::vector<Loop> &all() const { return loops_; }

  /// Returns true if the definition of \p value shows that it does not change while \p loop runs.
  bool isInvariant(std::string_view value, const Loop &loop) const;
  /// Returns true if \p value is an induction of \p loop, or the sum or product of one and an
  /// invariant: an address that steps.
  bool isStepped(std::string_view value, const Loop &loop) const;

private:
  void findLoops();
  void findInductions(Loop &loop) const;
  void findCount(Loop &loop) const;
  std::uint64_t largest(std::string_view value, unsigned depth = 0) const;

  const Function &function_;
  std::vector<Loop> loops_;
  std::vector<std::size_t> innermost_; ///< index into loops_, by block
};

} // namespace copse::popc::llvm_text
