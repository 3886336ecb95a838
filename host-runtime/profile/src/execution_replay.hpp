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

/// Computes the costs of a run's steps afterwards. Modelled time follows from the image, the
/// machine model, and the counted cycles of vertices, so the steps of a run are walked again on the
/// modelled clocks, and the clocks of the first replica are recorded.
///
/// A vertex whose time differs between executions of its compute set is shown with its last time in
/// all of them. Where data decide the control flow, the recorded path is the one that
/// PartitionClocks takes. A run with such decisions, or with more steps than are recorded, is
/// marked as incomplete; its total cycles are nevertheless the device's.
class ExecutionReplay : private machine::ClockObserver {
public:
  explicit ExecutionReplay(const poplar::Executable::Impl &executable);

  /// Adds \p run with its steps to \p report, which must belong to this executable. cyclesByKind
  /// stays empty if it is unknown: data decided the control flow, callbacks did not always
  /// prefetch, or vertices took different times on different replicas.
  /// \param observed  must outlive this object; runs that share it share the costs of their compute
  ///   sets
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
  /// Compute set -> its number in the report.
  std::vector<std::optional<std::uint32_t>> reported_;
  std::map<std::uint32_t, std::uint32_t> costs_; ///< compute set -> index into ReportData::costs
  const RunObservations *observed_ = nullptr;    ///< observations of costs_
  /// Blocks by their first step, outer ones first.
  std::map<std::uint32_t, std::vector<std::uint32_t>> blocksAt_;
  // State of the current run
  ReportData *report_ = nullptr;
  std::uint32_t firstStep_ = 0;
  /// Clocks before the current step; shape [ipus of a replica].
  std::vector<wire::Cycles> before_;
  std::vector<std::uint64_t> waited_; ///< for each transfer of the current host exchange
  std::vector<HostUse> hostUses_;
  /// The open blocks of each active range of steps, outer ones first.
  std::vector<std::vector<BlockRun>> open_;
};

} // namespace copse::profile
