#pragma once

#include "clock/host_clock.hpp"
#include "clock/timing_model.hpp"

#include "compiler/executable_impl.hpp"
#include "profile/report_data.hpp"
#include "profile/run_observations.hpp"
#include "sync/groups.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace copse::profile {

/// Tells what the steps of a run cost, after the fact: modelled time follows from the image, the
/// machine model, and what vertices took whose code counts that. The clocks are those of the first
/// replica.
///
/// Of a vertex that took another time in each run of its compute set, the last time stands for all.
/// All else that only the device knew is left open: the body of a loop with a condition, and the first way
/// of a branch, are listed once. A run with such steps, or with more of them than are listed, is
/// marked as not complete; its own cycles are the device's all the same.
class ExecutionReplay {
public:
  explicit ExecutionReplay(const poplar::Executable::Impl &executable);

  /// Adds \p run with its steps and blocks to \p report, which must be this executable's.
  /// \param observed  must live as long as this, and runs that share it share the costs of their compute sets
  void add(RunRecord run, const RunObservations &observed, ReportData &report);

private:
  struct ComputeSetCost {
    std::vector<std::uint64_t> byTile; ///< shape [tiles of a replica]
    std::vector<std::uint64_t> byIpu;
  };
  /// A step as it is being listed.
  struct Entry {
    std::uint32_t step; ///< index into Image::steps
    StepKind kind;
  };

  const std::vector<wire::Step> &steps() const;
  bool full() const;
  void walk(wire::StepRange range);
  void walkStep(std::uint32_t at);
  void computeSet(std::uint32_t at);
  void exchange(std::uint32_t at);
  void sync(std::uint32_t at);
  void hostExchange(std::uint32_t at);
  void remoteCopy(std::uint32_t at);

  const ComputeSetCost &costOf(std::uint32_t computeSet);
  std::vector<std::uint64_t> vertexCycles(std::uint32_t ipu, std::uint32_t computeSet) const;
  wire::Cycles externalCycles(std::uint32_t at, std::uint32_t ipu);
  std::uint64_t hostExchangeCycles(const wire::HostExchange &exchange, std::uint32_t ipu);
  /// Lets every IPU take its part of \p cycles, shape [ipus].
  StepReport &advance(Entry entry, const std::vector<std::uint64_t> &cycles);
  void addBlocks(std::uint32_t step, std::uint32_t ipu, const std::vector<wire::Region> &regions,
                 std::uint64_t from, std::uint64_t to);

  const compiler::CompiledProgram &program_;
  clock::TimingModel timing_;
  copse::wire::SyncConfiguration syncConfiguration_;
  std::vector<copse::clock::HostClock> hostClocks_; ///< shape [ipus of a replica]
  std::vector<std::uint32_t> reported_;             ///< compute set -> its number in the report
  std::map<std::uint32_t, ComputeSetCost> costs_;   ///< of compute sets
  /// Of exchanges over IPU-Links, by step and IPU.
  std::map<std::pair<std::uint32_t, std::uint32_t>, wire::Cycles> external_;
  std::vector<std::uint64_t> clocks_;         ///< shape [ipus of a replica]
  ReportData *report_ = nullptr;              ///< while add() works
  const RunObservations *observed_ = nullptr; ///< that costs_ are of
  std::uint32_t firstStep_ = 0;
  bool complete_ = true;
};

} // namespace copse::profile
