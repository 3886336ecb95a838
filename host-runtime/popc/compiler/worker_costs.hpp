#pragma once

#include "library_costs.hpp"
#include "tile_loops.hpp"

#include <llvm/IR/Instructions.h>
#include <optional>
#include <vector>

namespace copse::popc {

/// The variable cost of a copy or fill, in addition to its Issues: one cycle for each 2^shift
/// bytes.
struct CostPerByte {
  llvm::Value *bytes = nullptr;
  unsigned shift = 0;
};

/// Tells what LLVM instructions of a function cost on a worker. docs/timing-model.md has the table
/// with its sources.
class WorkerCosts {
public:
  /// Keeps a reference to \p loops.
  /// \param repeatLimit  the largest count of the architecture's `rpt`
  WorkerCosts(const llvm::Function &function, const TileLoops &loops, unsigned repeatLimit);

  /// Returns the instructions in order of issue; empty for an instruction that costs nothing.
  std::vector<Issue> issuesOf(const llvm::Instruction &instruction) const;
  /// Returns the variable cost of a copy or fill whose size is not known.
  std::optional<CostPerByte> perByteOf(const llvm::Instruction &instruction) const;
  /// Returns true if a block is the body of a loop that the hardware repeats (`rpt`): a loop of one
  /// block, without calls, whose count is known to fit into the field of `rpt`.
  bool isRepeated(const llvm::BasicBlock &block) const;

private:
  std::vector<Issue> ofInteger(const llvm::Instruction &instruction) const;
  std::vector<Issue> ofComparison(const llvm::CmpInst &compare) const;
  std::vector<Issue> ofAddress(const llvm::GetElementPtrInst &address) const;
  std::vector<Issue> ofBranch(const llvm::BranchInst &branch) const;
  std::vector<Issue> ofCall(const llvm::CallInst &call) const;

  bool countsOnly(const llvm::Instruction &increment) const;

  const TileLoops &loops_;
  unsigned repeatLimit_;
  /// An entry that calls compute() does not exist on the tile, where the supervisor starts
  /// compute().
  bool startsCompute_ = false;
};

} // namespace copse::popc
