#include "worker_schedule.hpp"

#include <algorithm>
#include <llvm/ADT/DenseMap.h>

namespace copse::popc {
namespace {

/// Issues instructions one after another.
class Schedule {
public:
  /// \param mayPair  whether two instructions may be issued together
  explicit Schedule(bool mayPair) : mayPair_(mayPair) {}

  /// \param ready  the first slot in which all operands are available
  /// \returns the slot behind the last of \p issues, in which the result is available
  std::uint64_t add(const std::vector<Issue> &issues, std::uint64_t ready) {
    for (const Issue &issue : issues)
      ready = add(issue, ready);
    return ready;
  }
  std::uint64_t cycles() const { return cycles_; }

private:
  std::uint64_t add(const Issue &issue, std::uint64_t ready) {
    const bool pairs = mayPair_ && isOpen_ && ready < slots_ && issue.lane != Lane::Alone &&
                       issue.lane != lane_ && (issue.cycles == 1 || slotCycles_ == 1);
    if (pairs) {
      cycles_ += std::max(issue.cycles, slotCycles_) - slotCycles_;
      isOpen_ = false;
      return slots_;
    }
    // A sequence of single instructions leaves its last slot open, a long instruction its only one.
    const bool isSequence = issue.lane == Lane::Main;
    slotCycles_ = isSequence ? 1 : issue.cycles;
    cycles_ += issue.cycles;
    lane_ = issue.lane;
    isOpen_ = issue.lane != Lane::Alone && issue.cycles > 0;
    return ++slots_;
  }

  bool mayPair_;
  std::uint64_t cycles_ = 0, slots_ = 0;
  unsigned slotCycles_ = 0;
  Lane lane_ = Lane::Alone;
  bool isOpen_ = false; ///< another instruction can join the last slot
};

} // namespace

std::vector<std::uint64_t> cyclesOf(const llvm::BasicBlock &block, const WorkerCosts &costs) {
  Schedule schedule(costs.isRepeated(block));
  llvm::DenseMap<const llvm::Value *, std::uint64_t> ready;
  std::vector<std::uint64_t> cycles{0};
  for (const llvm::Instruction &instruction : block.instructionsWithoutDebug()) {
    std::uint64_t from = 0;
    if (!llvm::isa<llvm::PHINode>(instruction))
      for (const llvm::Value *const operand : instruction.operands())
        from = std::max(from, ready.lookup(operand));
    ready[&instruction] = schedule.add(costs.issuesOf(instruction), from);
    cycles.push_back(schedule.cycles());
  }
  return cycles;
}

} // namespace copse::popc
