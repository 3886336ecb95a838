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
  std::vector<std::size_t> exits;   ///< blocks of the loop with a successor that is not in it
  std::size_t blocks = 0;
  bool isInnermost = true;

  /// Values that grow by the same amount in every turn, and what they grow by: see
  /// isStepped().
  std::vector<std::string_view> inductions;
  std::vector<std::size_t> increments; ///< the instructions that make them grow
  /// Set if the number of turns is known before the first one: the instruction that compares, and
  /// the block that leaves.
  std::optional<std::size_t> countedBy;
  std::size_t leavingBlock = 0;
  /// The largest number of turns that the text shows.
  std::uint64_t atMost = std::numeric_limits<std::uint64_t>::max();
};

/// The loops of a function; the loops within one another.
class Loops {
public:
  /// Keeps a reference to \p function.
  explicit Loops(const Function &function);

  /// The innermost loop around \p block; null if it lies in none.
  const Loop *around(std::size_t block) const;
  const std::vector<Loop> &all() const { return loops_; }

  /// Whether \p value does not change while \p loop runs, as its definition shows.
  bool isInvariant(std::string_view value, const Loop &loop) const;
  /// Whether \p value is an induction of \p loop, or that plus or times what does not change: an
  /// address that steps.
  bool isStepped(std::string_view value, const Loop &loop) const;

private:
  void findLoops();
  void findInductions(Loop &loop) const;
  void findCount(Loop &loop) const;
  std::uint64_t largest(std::string_view value, unsigned depth = 0) const;

  const Function &function_;
  std::vector<Loop> loops_;
  std::vector<std::size_t> innermost_; ///< by block: an index into loops_
};

} // namespace copse::popc::llvm_text
