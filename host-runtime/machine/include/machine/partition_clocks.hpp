#pragma once

#include "clock/host_clock.hpp"
#include "clock/step_kind.hpp"
#include "clock/timing_model.hpp"

#include "wire/image.hpp"
#include "wire/vertex_cycles.hpp"

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

/// Sees the steps of a run as the clocks come to them, each turn of each loop.
class ClockObserver {
public:
  virtual ~ClockObserver() = default;
  /// Returns whether the observer takes more steps; asked before each step. The clocks go on
  /// without it.
  virtual bool takesMore() const = 0;
  /// The clocks come to a range of steps: a program, a function, or a body in one of its turns.
  virtual void rangeBegan() {}
  /// The clocks come to a step of the range that began last and has not ended.
  virtual void stepBegan(std::uint32_t /*step*/) {}
  /// The range that began last has ended.
  /// \param end  the step behind it
  virtual void rangeEnded(std::uint32_t /*end*/) {}
  /// A step that takes modelled time has ended on every IPU.
  /// \param now  of each IPU, shape [replicas * ipusPerReplica]
  virtual void stepEnded(std::uint32_t step, std::span<const wire::Cycles> now) = 0;
  /// An IPU has waited \p cycles for transfer \p number of a host exchange, whose step ends later.
  virtual void waitedFor(std::uint32_t ipu, std::size_t number, wire::Cycles cycles) = 0;
};

/// The modelled clocks of all IPUs of a partition, moved on by the steps of a program that is not
/// executed. Outside an ipud this is the only place where steps become cycles: devices without
/// execution and profiles both ask here. The clocks show what the ipuds would show: costs come from
/// the same formulas, for each IPU its own.
///
/// The cost of a step is worked out once for each compute set and for each exchange that differs
/// from the others in traffic, so the effort grows with steps and IPUs, not with elements. A loop
/// ends early when all clocks have moved on as far as in the turn before, as each later turn would
/// then be the same.
///
/// Data are not known, so a branch takes its first way, a Switch takes none, and a loop with a
/// condition makes one turn; isExact() says whether a run came to any of these.
class PartitionClocks {
public:
  /// Whether the host has filled the rows of a stream ahead of time.
  using IsPrefetched = std::function<bool(std::uint32_t stream, std::uint32_t replica)>;

  PartitionClocks(clock::TimingModel timing, ClockedProgram program);
  PartitionClocks(const PartitionClocks &) = delete; // host clocks refer to timing_
  PartitionClocks &operator=(const PartitionClocks &) = delete;

  /// Sets what vertices took whose cycles only an execution shows.
  /// \param measured  by IPU of a replica; compute sets that are not in it take what their vertices
  ///   are expected to
  void setMeasured(std::vector<wire::MeasuredCycles> measured);

  /// Returns the first step of program \p index after which data decide what comes next: a branch,
  /// or a loop with a condition. An assertion is none, as it holds in programs that are of interest.
  std::optional<std::uint32_t> firstBranch(std::uint32_t index) const;

  /// Moves the clocks on by one run of program \p index, from \p start on all IPUs.
  /// \param observer  null: the steps are not observed
  void run(std::uint32_t index, wire::Cycles start, IsPrefetched isPrefetched,
           ClockObserver *observer = nullptr);

  /// Returns false if data decided something in the last run.
  bool isExact() const { return isExact_; }
  /// Returns the clock of each IPU, shape [replicas * ipusPerReplica].
  std::span<const wire::Cycles> now() const { return now_; }
  wire::Cycles latest() const;
  /// Returns the cycles in the last run of the IPU that was done last, the first of several.
  clock::CyclesByKind cyclesOfLatest() const;

  /// Returns the cycles of the vertices of a compute set: measured, else expected.
  /// \param ipu  of a replica
  std::vector<std::uint64_t> vertexCycles(std::uint32_t ipu, std::uint32_t computeSet) const;

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
    std::uint64_t observed = 0; ///< steps that the observer has seen
  };
  class Walk;

  std::uint32_t ipusPerReplica() const {
    return static_cast<std::uint32_t>(program_.images.size());
  }
  clock::IpuPlace placeOf(std::uint32_t ipu) const {
    return {ipu % ipusPerReplica(), ipu / ipusPerReplica(), program_.replicas, ipusPerReplica()};
  }
  const wire::Image &firstImage() const { return *program_.images.front(); }
  State state() const { return {now_, hosts_, spent_, observed_}; }
  bool isObserved() const { return observer_ != nullptr && observer_->takesMore(); }
  bool moveOn(std::uint32_t turns, const State &before);
  void work(std::uint32_t at);
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
  std::vector<wire::MeasuredCycles> measured_;
  IsPrefetched isPrefetched_;
  ClockObserver *observer_ = nullptr; ///< of the run at hand
  std::uint64_t observed_ = 0;        ///< steps that it has seen
  bool isExact_ = true;

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
