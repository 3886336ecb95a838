#pragma once

#include "clock/host_clock.hpp"
#include "clock/step_kind.hpp"
#include "clock/timing_model.hpp"

#include "machine/clock_words.hpp"
#include "wire/image.hpp"
#include "wire/vertex_cycles.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace copse::machine {

/// The parts of modelled time.
enum class Cost : std::uint8_t {
  Compute,
  Exchange,     ///< on chips
  IpuLinks,     ///< exchanges between chips
  GatewayLinks, ///< what these take longer than without the latency and bandwidth of GW-Links
  Sync,         ///< including the wait for other IPUs
  Host,         ///< streams
  RemoteBuffers
};
inline constexpr std::size_t kCosts = 7;
/// The cycles of one IPU, by Cost.
using CyclesByCost = std::array<wire::Cycles, kCosts>;

/// Returns the machine whose GW-Links take no time.
clock::MachineModel withoutGatewayLinks(clock::MachineModel machine);

/// The parts of a loaded program that determine the clocks.
struct ClockedProgram {
  std::vector<const wire::Image *> images; ///< shape [ipusPerReplica]; must outlive the clocks
  std::uint32_t replicas = 1;
  wire::SyncConfiguration syncConfiguration = wire::SyncConfiguration::IntraReplicaAndAll;
  /// If present, Cost::GatewayLinks is told apart from Cost::IpuLinks by this machine, whose
  /// GW-Links take no time.
  std::optional<clock::TimingModel> gatewaysFree = {};
  std::optional<Cost> free = {}; ///< this cost takes no time
};

/// The host's side of the streams, while the clocks pass their transfers. The transfers of one
/// stream and replica come in the order of the program.
class HostRows {
public:
  virtual ~HostRows() = default;
  /// Returns true if the next row of a stream to the device was filled in advance; called once for
  /// each row of a replica.
  /// \param now  the moment at which its transfer begins
  virtual bool isReady(std::uint32_t stream, std::uint32_t replica, wire::Cycles now) = 0;
  /// Called when all IPUs of a replica have transferred their parts of a row, the last at \p end.
  /// \param exchange  number of the host exchange, and \p transfer number in it
  virtual void transferred(std::uint32_t /*exchange*/, std::size_t /*transfer*/,
                           std::uint32_t /*replica*/, wire::Cycles /*end*/) {}
  /// Returns the number of calls of the host program. Turns of a loop with calls are not
  /// multiplied, because each makes its own.
  virtual std::uint64_t calls() const { return 0; }
};

/// Observes the steps of a run as the clocks reach them, each turn of each loop.
class ClockObserver {
public:
  virtual ~ClockObserver() = default;
  /// Returns true if the observer wants more steps; called before each step. The clocks continue
  /// without it.
  virtual bool takesMore() const = 0;
  /// Called at the start of a range of steps: a program, a function, or one turn of a body.
  virtual void rangeBegan() {}
  /// Called at the start of a step of the current range.
  virtual void stepBegan(std::uint32_t /*step*/) {}
  /// Called at the end of the current range.
  /// \param end  the step after it
  virtual void rangeEnded(std::uint32_t /*end*/) {}
  /// Called when a step that takes modelled time has ended on every IPU.
  /// \param now  the clock of each IPU, shape [replicas * ipusPerReplica]
  virtual void stepEnded(std::uint32_t step, std::span<const wire::Cycles> now) = 0;
  /// Called when an IPU has waited \p cycles for transfer \p number of a host exchange, whose step
  /// ends later.
  virtual void waitedFor(std::uint32_t ipu, std::size_t number, wire::Cycles cycles) = 0;
};

/// The modelled clocks of all IPUs of a partition, advanced by the steps of a program that is not
/// executed. Outside of ipud, this is the only place that turns steps into cycles; devices without
/// execution and profiles use it. The clocks equal those that ipuds would show, because the costs
/// come from the same formulas, separately for each IPU.
///
/// The cost of a step is computed once for each compute set, and for each exchange that differs
/// from the others in traffic, so the effort grows with steps and IPUs, not with elements. The
/// turns of a loop are multiplied as soon as each later turn would take what the last one took.
///
/// Data are unknown. Unless decisions replace them, a branch takes its first alternative, a Switch
/// none, and a loop with a condition makes one turn; isExact() says whether a run reached any of
/// these.
class PartitionClocks {
public:
  /// Returns what replaces the data at a step: 1 or 0 for an If, the value of a Switch, the turns
  /// of a While; nothing if they are unknown.
  using Decide = std::function<std::optional<std::uint32_t>(std::uint32_t step)>;

  PartitionClocks(clock::TimingModel timing, ClockedProgram program);
  PartitionClocks(const PartitionClocks &) = delete; // host clocks refer to timing_
  PartitionClocks &operator=(const PartitionClocks &) = delete;

  /// Sets the cycles of vertices whose cycles only an execution can tell.
  /// \param measured  by IPU of a replica. Compute sets that are missing take their expected cycles
  void setMeasured(std::vector<wire::MeasuredCycles> measured);

  void setDecisions(Decide decide) { decide_ = std::move(decide); }

  /// Returns the first step that program \p index can reach at which nothing is known about the
  /// data that decide what comes next: a branch, a loop with a condition, or the end of the
  /// program. Assertions do not count, because they hold in all programs of interest.
  std::optional<std::uint32_t> firstUndecided(std::uint32_t index) const;

  /// Advances the clocks by one run of program \p index, from \p start on all IPUs.
  /// \param observer  may be null
  void run(std::uint32_t index, wire::Cycles start, HostRows &rows,
           ClockObserver *observer = nullptr);

  /// Returns false if data decided the control flow of the last run.
  bool isExact() const { return isExact_; }
  /// Returns the clock of each IPU, shape [replicas * ipusPerReplica].
  std::span<const wire::Cycles> now() const { return now_; }
  wire::Cycles latest() const;
  /// Returns the cycles in the last run of the IPU that finished last (the first of several).
  clock::CyclesByKind cyclesOfLatest() const;
  /// Returns the same cycles in the finer division by costs.
  CyclesByCost costsOfLatest() const;

  /// Returns what the program has read of the clocks since its load.
  const ClockWords &clockWords() const { return clockWords_; }

  /// Returns the cycles of the vertices of a compute set: measured, else expected.
  /// \param ipu  number within a replica
  std::vector<std::uint64_t> vertexCycles(std::uint32_t ipu, std::uint32_t computeSet) const;

private:
  struct SyncGroup {
    std::vector<std::uint32_t> members;
    wire::Cycles latency;
  };
  struct ExchangeCost {
    std::vector<wire::Cycles> internal; ///< shape [ipusPerReplica]
    std::vector<wire::Cycles> external; ///< shape [ipus]; empty: nothing leaves a chip
    std::vector<wire::Cycles> links;    ///< part of external on IPU-Links only; empty: all of it
  };
  struct ExternalCost {
    std::vector<wire::Cycles> all, links; ///< as in ExchangeCost
  };
  /// Everything that the future of a loop's body depends on, and the accounts.
  struct State {
    std::vector<wire::Cycles> now;
    std::vector<clock::HostClock> hosts;
    std::vector<CyclesByCost> spent;
    std::uint64_t observed = 0, calls = 0;          ///< number of observed steps, and of calls
    std::map<wire::SyncGroup, std::uint64_t> syncs; ///< number of sync points
    ClockWords clockWords;
  };
  class Walk;

  std::uint32_t ipusPerReplica() const {
    return static_cast<std::uint32_t>(program_.images.size());
  }
  clock::IpuPlace placeOf(std::uint32_t ipu) const {
    return {ipu % ipusPerReplica(), ipu / ipusPerReplica(), program_.replicas, ipusPerReplica()};
  }
  const wire::Image &firstImage() const { return *program_.images.front(); }
  State state() const {
    return {now_, hosts_, spent_, observed_, rows_->calls(), syncs_, clockWords_};
  }
  std::optional<std::uint32_t> decided(std::uint32_t step) const {
    return decide_ ? decide_(step) : std::nullopt;
  }
  std::optional<std::uint32_t> firstUndecided(const wire::StepRange &range) const;
  std::optional<std::uint32_t> undecidedAt(std::uint32_t at) const;
  bool movesWithPartners(const State &before);
  bool isObserved() const { return observer_ != nullptr && observer_->takesMore(); }
  bool moveOn(std::uint32_t turns, const State &before);
  void work(std::uint32_t at);
  void computeSet(std::uint32_t index);
  void exchange(std::uint32_t at);
  void sync(wire::SyncGroup group);
  void readClock(const wire::Step &step);
  void hostExchange(std::uint32_t index);
  void transferRow(std::uint32_t exchange, std::size_t number, std::uint32_t replica);
  void remoteCopy(std::uint32_t index);
  void spend(std::uint32_t ipu, Cost cost, wire::Cycles cycles);

  const std::vector<wire::Cycles> &costOfComputeSet(std::uint32_t index);
  const ExchangeCost &costOfExchange(std::uint32_t at);
  const ExternalCost &externalCost(std::span<const wire::Exchange> exchanges);
  const std::vector<SyncGroup> &groupsOf(wire::SyncGroup group);

  clock::TimingModel timing_;
  ClockedProgram program_;
  std::vector<wire::MeasuredCycles> measured_;
  Decide decide_;
  HostRows *rows_ = nullptr;          ///< rows of the current run
  ClockObserver *observer_ = nullptr; ///< observer of the current run
  std::uint64_t observed_ = 0;        ///< number of steps observed in it
  bool isExact_ = true;

  ClockWords clockWords_;
  std::vector<wire::Cycles> now_;                  ///< shape [ipus]
  std::vector<clock::HostClock> hosts_;            ///< shape [ipus]
  std::vector<CyclesByCost> spent_;                ///< in this run; shape [ipus]
  std::vector<wire::Cycles> moments_;              ///< in the current host exchange; shape [ipus]
  std::map<wire::SyncGroup, std::uint64_t> syncs_; ///< number of sync points since the load

  std::map<std::uint32_t, std::vector<wire::Cycles>> computeSets_; ///< shape [ipusPerReplica]
  std::map<std::uint32_t, ExchangeCost> exchanges_;                ///< by step
  /// By traffic: exchanges that differ only in tiles load the links equally.
  std::map<std::vector<std::uint64_t>, ExternalCost> external_;
  std::map<wire::SyncGroup, std::vector<SyncGroup>> groups_;
};

} // namespace copse::machine
