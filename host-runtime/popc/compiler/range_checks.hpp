#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <optional>
#include <vector>

namespace copse::popc {

/// One memory access, or one of the two accesses of a copy.
struct Access {
  llvm::Instruction *instruction = nullptr;
  llvm::Value *pointer = nullptr;
  llvm::Value *bytes = nullptr; ///< the size, of any type of integers
  unsigned flags = 0;           ///< of the check (wire/codelet_abi.hpp)

  bool stores() const;
};

/// A check in front of each access would put calls into each loop. This class finds the
/// accesses that one check in front of a loop covers: accesses whose address grows by the same
/// amount in each turn, in a loop whose number of turns is known before it begins. As long as this
/// check finds no error, the loop runs without other checks.
///
/// Life: add() for all loads, then for all stores; then insert(); then guardOf().
class RangeChecks {
public:
  /// Keeps references to its arguments.
  RangeChecks(const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution);

  /// Tells that \p instruction may load and is not part of a loop's check. Stores of its loop are
  /// then not checked in front of the loop, because the check counts them as done.
  void loadsByItself(const llvm::Instruction &instruction);
  /// Adds an access to the check of its loop.
  /// \returns false if no such check can cover it
  bool add(const Access &access);

  /// Inserts the checks of all loops in front of them.
  void insert(llvm::Module &module);
  /// Returns a value of type i1 that says if the check of the loop around \p access covers it.
  llvm::Value *guardOf(const Access &access) const;

private:
  /// A loop that has a check.
  struct Counted {
    const llvm::SCEV *turns = nullptr; ///< how often its body runs
    bool maySeeStores = false;         ///< some instruction loads and is not part of the check
    struct Range {
      const llvm::SCEVAddRecExpr *address;
      const Access access;
    };
    std::vector<Range> ranges;
    llvm::Value *isGood = nullptr;
  };
  using CountedLoops = llvm::MapVector<const llvm::Loop *, Counted>;

  std::optional<Counted> countedLoop(const llvm::Loop &loop) const;
  Counted *around(const llvm::Instruction &instruction);
  void insert(Counted &counted, const llvm::Loop &loop, llvm::Module &module);

  const llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &evolution_;
  CountedLoops counted_;
};

} // namespace copse::popc
