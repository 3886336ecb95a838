#pragma once

#include "clock/host_clock.hpp"
#include "clock/step_kind.hpp"
#include "clock/timing_model.hpp"

#include "wire/image.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace copse::machine {

/// A loaded program, as far as the clocks must know it.
struct ClockedProgram {
  std::vector<const wire::Image *> images; ///< shape [ipusPerReplica]; must outlive the clocks
  std::uint32_t replicas = 1;
  wire::SyncConfiguration syncConfiguration = wire::SyncConfiguration::IntraReplicaAndAll;
};

/// The modelled clocks of all IPUs of a partition, moved on by the steps of a program that nobody
/// executes. They show what the ipuds would show: costs come from the same formulas, for each IPU its own.
///
/// A cost is worked out once for each compute set and for each exchange that differs from the others in traffic, so
/// the effort grows with steps and IPUs, not with elements. A loop ends early when all clocks have moved on as far as in
/// the turn before, as each later turn would then be the same.
class PartitionClocks {
public:
  /// Cycles of vertices that only an execution shows, by IPU of a replica and compute set.
  using MeasuredCycles = std::vector<std::map<std::uint32_t, std::vector<std::uint64_t>>>;
  /// Whether the host has filled the rows of a stream ahead of time.
  using IsPrefetched = std::function<bool(std::uint32_t stream, std::uint32_t replica)>;

  PartitionClocks(clock::TimingModel timing, ClockedProgram program);
  PartitionClocks(const PartitionClocks &) = delete; // host clocks refer to timing_
  PartitionClocks &operator=(const PartitionClocks &) = delete;

  /// Compute sets of which nothing is measured take what their vertices are expected to.
  void setMeasured(MeasuredCycles measured);

  /// The first step of program \p index after which data decide what comes next: a branch, or a loop with a condition. An
  /// assertion is none, as it holds in programs that are of interest.
  std::optional<std::uint32_t> firstBranch(std::uint32_t index) const;

  /// Moves the clocks on by one run of program \p index, which has no branches, from \p start on all
  /// IPUs.
  void run(std::uint32_t index, wire::Cycles start, IsPrefetched isPrefetched);

  /// Shape [replicas * ipusPerReplica].
  std::span<const wire::Cycles> now() const { return now_; }
  wire::Cycles latest() const;
  /// Of the last run and the IPU that was done last, the first of several.
  clock::CyclesByKind cyclesOfLatest() const;

private:
  struct SyncGroup {
    std::vector<std::uint32_t> members;
    wire::Cycles latency;
  };
  struct ExchangeCost {
    std::vector<wire::Cycles> internal; ///< shape [ipusPerReplica]
    std::vector<wire::Cycles> external; ///< shape [ipus]; empty: there is none
  };
  /// All that the future of a loop's body depends on, and the accounts.
  struct State {
    std::vector<wire::Cycles> now;
    std::vector<clock::HostClock> hosts;
    std::vector<clock::CyclesByKind> spent;
  };

  std::uint32_t ipusPerReplica() const {
    return static_cast<std::uint32_t>(program_.images.size());
  }
  const wire::Image &firstImage() const { return *program_.images.front(); }
  void walk(wire::StepRange range);
  void walkStep(std::uint32_t at);
  void repeat(std::uint32_t at);
  bool skip(std::uint32_t turns, const State &before);
  void computeSet(std::uint32_t index);
  void exchange(std::uint32_t at);
  void sync(wire::SyncGroup group);
  void hostExchange(std::uint32_t index);
  void remoteCopy(std::uint32_t index);
  void spend(std::uint32_t ipu, clock::StepKind kind, wire::Cycles cycles);

  const std::vector<wire::Cycles> &costOfComputeSet(std::uint32_t index);
  const ExchangeCost &costOfExchange(std::uint32_t at);
  const std::vector<wire::Cycles> &externalCost(std::span<const wire::Exchange> exchanges);
  const std::vector<SyncGroup> &groupsOf(wire::SyncGroup group);

  clock::TimingModel timing_;
  ClockedProgram program_;
  MeasuredCycles measured_;
  IsPrefetched isPrefetched_;

  std::vector<wire::Cycles> now_;          ///< shape [ipus]
  std::vector<clock::HostClock> hosts_;    ///< shape [ipus]
  std::vector<clock::CyclesByKind> spent_; ///< in this run; shape [ipus]

  std::map<std::uint32_t, std::vector<wire::Cycles>> computeSets_; ///< shape [ipusPerReplica]
  std::map<std::uint32_t, ExchangeCost> exchanges_;                ///< by step
  /// By the traffic: exchanges that differ in tiles only load the links equally.
  std::map<std::vector<std::uint64_t>, std::vector<wire::Cycles>> external_;
  std::map<wire::SyncGroup, std::vector<SyncGroup>> groups_;
};

} // namespace copse::machine
