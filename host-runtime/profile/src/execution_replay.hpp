#pragma once

#include "compiler/executable_impl.hpp"
#include "machine/partition_clocks.hpp"
#include "profile/profile_data.hpp"
#include "profile/run_observations.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace copse::profile {

/// Tells what the steps of a run cost, after the fact: modelled time follows from the image, the
/// machine model, and what vertices took whose code counts that. The steps of a run are walked
/// again on the modelled clocks, and those of the first replica are recorded.
///
/// A vertex whose time differs between runs of its compute set has its last time in all of them.
/// Ways that data decide are recorded as PartitionClocks takes them. A run with such ways, or with
/// more steps than are recorded, is marked as not complete; its own cycles are the device's all the
/// same.
class ExecutionReplay : private machine::ClockObserver {
public:
  explicit ExecutionReplay(const poplar::Executable::Impl &executable);

  /// Adds \p run with its steps to \p report, which must be this executable's. Its cyclesByKind stay
  /// empty if only the device knew them: data decided what ran, callbacks did not always prefetch,
  /// or vertices took another time on each replica.
  /// \param observed  must live as long as this, and runs that share it share the costs of their
  ///   compute sets
  void add(RunRecord run, const RunObservations &observed, ReportData &report);

private:
  bool takesMore() const override;
  void rangeBegan() override;
  void stepBegan(std::uint32_t step) override;
  void rangeEnded(std::uint32_t end) override;
  void stepEnded(std::uint32_t step, std::span<const wire::Cycles> now) override;
  void waitedFor(std::uint32_t ipu, std::size_t number, wire::Cycles cycles) override;

  const wire::Image &firstImage() const { return program_.images.front(); }
  std::uint32_t ipus() const { return static_cast<std::uint32_t>(program_.images.size()); }
  std::vector<std::uint64_t> cyclesByKind(const RunRecord &run) const;
  std::uint32_t costOf(std::uint32_t computeSet);
  ComputeCost newCost(std::uint32_t computeSet) const;
  std::uint32_t recorded() const { return static_cast<std::uint32_t>(report_->steps.size()); }
  void closeBlocks(std::uint32_t at);
  HostUse &useOf(bool isRemoteBuffer, std::uint32_t index);
  void noteHostExchange(std::uint32_t at);
  void noteRemoteCopy(std::uint32_t index, std::span<const wire::Cycles> now);

  const compiler::CompiledProgram &program_;
  clock::TimingModel timing_;
  machine::PartitionClocks clocks_;
  std::vector<std::optional<std::uint32_t>> reported_; ///< compute set -> its number in the report
  std::map<std::uint32_t, std::uint32_t> costs_; ///< compute set -> index into ReportData::costs
  const RunObservations *observed_ = nullptr;    ///< that costs_ are of
  std::map<std::uint32_t, std::vector<std::uint32_t>>
      blocksAt_; ///< blocks by their first step, outer ones first
  // of the run at hand
  ReportData *report_ = nullptr;
  std::uint32_t firstStep_ = 0;
  std::vector<wire::Cycles> before_;  ///< the step at hand; shape [ipus of a replica]
  std::vector<std::uint64_t> waited_; ///< for each transfer of the host exchange at hand
  std::vector<HostUse> hostUses_;
  /// The blocks that run, of each range of steps that does: outer ones first.
  std::vector<std::vector<BlockRun>> open_;
};

} // namespace copse::profile
