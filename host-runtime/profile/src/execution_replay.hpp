#pragma once

#include "clock/host_clock.hpp"
#include "clock/timing_model.hpp"

#include "compiler/executable_impl.hpp"
#include "profile/report_data.hpp"
#include "profile/run_observations.hpp"
#include "sync/groups.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace copse::profile {

/// Tells what the steps of a run cost, after the fact: modelled time follows from the image, the
/// machine model, and what vertices took whose code counts that. The clocks are those of the first
/// replica.
///
/// Of a vertex that took another time in each run of its compute set, the last time stands for all.
/// All else that only the device knew is left open: the body of a loop with a condition, and the first way
/// of a branch, are recorded once. A run with such steps, or with more of them than are recorded, is
/// marked as not complete; its own cycles are the device's all the same.
///
/// The cost of a step is worked out once, as far as it does not depend on the clocks; so the effort for each step that
/// runs grows with the number of IPUs only.
class ExecutionReplay {
public:
  explicit ExecutionReplay(const poplar::Executable::Impl &executable);

  /// Adds \p run with its steps to \p report, which must be this executable's.
  /// \param observed  must live as long as this, and runs that share it share the costs of their compute sets
  void add(RunRecord run, const RunObservations &observed, ReportData &report);

private:
  struct ComputeSetCost {
    std::uint32_t number = 0; ///< index into ReportData::costs
    std::vector<std::uint64_t> byIpu;
  };

  const std::vector<wire::Step> &steps() const;
  std::uint32_t ipus() const { return static_cast<std::uint32_t>(program_.images.size()); }
  bool full() const;
  void walk(wire::StepRange range);
  void walkStep(std::uint32_t at);
  void repeat(std::uint32_t at);
  void computeSet(std::uint32_t at);
  void exchange(std::uint32_t at);
  void sync(std::uint32_t at);
  void hostExchange(std::uint32_t at);
  void remoteCopy(std::uint32_t at);

  const ComputeSetCost &costOf(std::uint32_t computeSet);
  std::vector<std::uint64_t> vertexCycles(std::uint32_t ipu, std::uint32_t computeSet) const;
  const std::vector<std::uint64_t> &exchangeCycles(std::uint32_t at);
  std::vector<std::uint64_t> hostExchangeCycles(std::uint32_t index);
  HostUse &useOf(bool isRemoteBuffer, std::uint32_t index);
  /// Lets every IPU take its part of \p cycles, shape [ipus].
  void advance(StepReport step, const std::vector<std::uint64_t> &cycles);

  const compiler::CompiledProgram &program_;
  clock::TimingModel timing_;
  copse::wire::SyncConfiguration syncConfiguration_;
  std::vector<copse::clock::HostClock> hostClocks_;    ///< shape [ipus of a replica]
  std::vector<std::optional<std::uint32_t>> reported_; ///< compute set -> its number in the report
  std::map<std::uint32_t, ComputeSetCost> costs_;      ///< by compute set
  std::map<std::uint32_t, std::vector<std::uint64_t>> exchanges_; ///< by step; shape [ipus]
  struct SyncGroup {
    std::vector<std::uint32_t> members; ///< IPUs of the first replica
    std::uint64_t latency = 0;
  };
  std::map<std::uint32_t, std::vector<SyncGroup>> groups_; ///< by wire::SyncGroup: of each IPU
  std::vector<std::uint64_t> clocks_;                      ///< shape [ipus of a replica]
  ReportData *report_ = nullptr;                           ///< while add() works
  const RunObservations *observed_ = nullptr;              ///< that costs_ are of
  std::vector<HostUse> hostUses_;                          ///< of the run in hand
  std::uint32_t firstStep_ = 0;
  bool complete_ = true;
};

} // namespace copse::profile
