#pragma once

#include <cstdint>
#include <limits>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <vector>

namespace copse::popc {

/// The tile counts a loop down and steps through memory without instructions of their own, if its
/// compiler knows how values change from turn to turn. Tells what it knows of a function's loops.
///
/// The rules are simpler than those of LLVM's ScalarEvolution, which also looks through conversions
/// and minima. The modelled times are fitted to published ones with these rules.
class TileLoops {
public:
  /// A loop whose number of turns is known before the first turn.
  struct Count {
    const llvm::ICmpInst *compare = nullptr; ///< decides to leave the loop
    /// The largest number of turns that the code allows.
    std::uint64_t atMost = std::numeric_limits<std::uint64_t>::max();
  };

  /// Keeps a reference to \p loops.
  explicit TileLoops(const llvm::LoopInfo &loops);

  /// Returns the innermost loop around \p block; null if no loop contains it.
  const llvm::Loop *around(const llvm::BasicBlock &block) const;
  /// Returns the number of loops around \p block.
  unsigned depthOf(const llvm::BasicBlock &block) const { return loops_.getLoopDepth(&block); }
  std::vector<const llvm::Loop *> all() const;

  /// Returns null if the number of turns is unknown.
  const Count *countOf(const llvm::Loop &loop) const;
  /// Returns the loop that a comparison leaves when its count has ended; null for others.
  const llvm::Loop *countedBy(const llvm::Instruction &compare) const;

  /// Returns the instruction that adds the same amount to \p value in every turn of \p loop: to a
  /// value of the loop's header, of which this instruction computes the next, or to its own result.
  /// Returns null for other values.
  static const llvm::Instruction *incrementOf(const llvm::Value &value, const llvm::Loop &loop);
  /// Returns true if \p value does not change while \p loop runs, or is a sum or product of values
  /// that grow by the same in every turn: an address that steps.
  static bool isStepped(const llvm::Value &value, const llvm::Loop &loop);

private:
  static bool findCount(const llvm::Loop &loop, Count &count);

  const llvm::LoopInfo &loops_;
  llvm::DenseMap<const llvm::Loop *, Count> counts_;
};

} // namespace copse::popc
