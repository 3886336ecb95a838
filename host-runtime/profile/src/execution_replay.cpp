#include "execution_replay.hpp"

#include "graph_report.hpp"
#include "tile_intervals.hpp"

#include "machine/machine_models.hpp"
#include "machine/sync_scheme.hpp"
#include "types/target_description.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <utility>

namespace copse::profile {
namespace {

/// A report with more steps of a run would be too long to read.
constexpr std::uint32_t kMostSteps = 100'000;

/// A host that has filled each row of some streams in advance.
class PrefetchedStreams final : public machine::HostRows {
public:
  explicit PrefetchedStreams(const std::vector<bool> &prefetched) : prefetched_(prefetched) {}
  bool isReady(std::uint32_t stream, std::uint32_t /*replica*/, wire::Cycles /*now*/) override {
    return prefetched_.at(stream);
  }

private:
  const std::vector<bool> &prefetched_;
};

machine::ClockedProgram clockedProgramOf(const poplar::Executable::Impl &executable) {
  machine::ClockedProgram program;
  for (const wire::Image &image : executable.program.images)
    program.images.push_back(&image);
  program.replicas = executable.program.replicas;
  program.syncConfiguration = machine::syncConfigurationOf(executable.target);
  return program;
}

} // namespace

ExecutionReplay::ExecutionReplay(const poplar::Executable::Impl &executable)
    : program_(executable.program),
      timing_(machine::timingModelOf(types::describe(executable.target), program_.replicas)),
      clocks_(timing_, clockedProgramOf(executable)), reported_(reportedNumbers(firstImage())) {
  for (std::uint32_t block = 0; block < program_.blocks.size(); ++block)
    if (program_.blocks[block].steps.count > 0)
      blocksAt_[program_.blocks[block].steps.first].push_back(block);
}

void ExecutionReplay::add(RunRecord run, const RunObservations &observed, ReportData &report) {
  report_ = &report;
  if (observed_ != &observed)
    costs_.clear();
  observed_ = &observed;
  report.hasExecution = true;
  firstStep_ = static_cast<std::uint32_t>(report.steps.size());
  before_.assign(ipus(), {run.from});
  waited_.clear();
  hostUses_.clear();
  clocks_.setMeasured(observed.cycles);
  PrefetchedStreams rows(observed.prefetched);
  clocks_.run(run.program, {run.from}, rows, this);
  run.firstStep = firstStep_;
  run.steps = static_cast<std::uint32_t>(report.steps.size()) - firstStep_;
  run.complete = clocks_.isExact() && takesMore();
  run.cyclesByKind = cyclesByKind(run);
  run.hostUses = std::move(hostUses_);
  report.runs.push_back(std::move(run));
  std::ranges::sort(report.blockRuns, [](const BlockRun &a, const BlockRun &b) {
    return a.first != b.first ? a.first < b.first : a.block < b.block; // outer blocks first
  });
  report_ = nullptr;
}

std::vector<std::uint64_t> ExecutionReplay::cyclesByKind(const RunRecord &run) const {
  std::vector<std::uint64_t> cycles;
  if (clocks_.isExact() && clocks_.latest().value == run.to)
    for (const wire::Cycles spent : clocks_.cyclesOfLatest())
      cycles.push_back(spent.value);
  return cycles;
}

void ExecutionReplay::rangeBegan() { open_.emplace_back(); }

void ExecutionReplay::stepBegan(std::uint32_t step) {
  closeBlocks(step);
  if (const auto blocks = blocksAt_.find(step); blocks != blocksAt_.end())
    for (const std::uint32_t block : blocks->second)
      open_.back().push_back({block, recorded(), 0});
}

void ExecutionReplay::rangeEnded(std::uint32_t end) {
  closeBlocks(end);
  open_.pop_back();
}

/// Closes the blocks that end before step \p at of their range.
void ExecutionReplay::closeBlocks(std::uint32_t at) {
  for (std::vector<BlockRun> &open = open_.back(); !open.empty(); open.pop_back()) {
    const wire::StepRange &of = program_.blocks[open.back().block].steps;
    if (at < of.first + of.count)
      return;
    open.back().end = recorded();
    if (open.back().first < open.back().end)
      report_->blockRuns.push_back(open.back());
  }
}

bool ExecutionReplay::takesMore() const { return report_->steps.size() < firstStep_ + kMostSteps; }

void ExecutionReplay::stepEnded(std::uint32_t step, std::span<const wire::Cycles> now) {
  const wire::Step &of = firstImage().steps[step];
  std::uint32_t cost = StepReport::kNoCost;
  if (of.op == wire::Op::ComputeSet)
    cost = costOf(of.index);
  else if (of.op == wire::Op::HostExchange)
    noteHostExchange(step);
  else if (of.op == wire::Op::RemoteCopy)
    noteRemoteCopy(of.index, now);
  report_->steps.push_back({step, cost, *clock::kindOf(firstImage(), of)});
  for (std::uint32_t ipu = 0; ipu < ipus(); ++ipu)
    report_->ends.push_back(now[ipu].value);
  before_.assign(now.begin(), now.begin() + ipus());
}

std::uint32_t ExecutionReplay::costOf(std::uint32_t computeSet) {
  const auto [found, isNew] = costs_.try_emplace(computeSet);
  if (isNew) {
    found->second = static_cast<std::uint32_t>(report_->costs.size());
    report_->costs.push_back(newCost(computeSet));
  }
  return found->second;
}

ComputeCost ExecutionReplay::newCost(std::uint32_t computeSet) const {
  ComputeCost cost;
  cost.computeSet = reported_[computeSet].value_or(0);
  std::map<std::uint32_t, VertexCycles> types;
  for (std::uint32_t ipu = 0; ipu < ipus(); ++ipu) {
    const wire::Image &image = program_.images[ipu];
    const wire::ComputeSet &set = image.computeSets[computeSet];
    const std::vector<std::uint64_t> cycles = clocks_.vertexCycles(ipu, computeSet);
    for (const clock::TileCompute &tile : timing_.computeSetTiles(set, image.functions, cycles))
      appendTile(cost.tiles,
                 {ipu * image.geometry.tiles + tile.tile, 1, tile.cycles, tile.threadCycles});
    for (std::size_t i = 0; i < set.vertices.size(); ++i) {
      const std::uint32_t type = set.vertices[i].function;
      const bool takesAll = wire::occupiesAllWorkers(image.functions[type]);
      VertexCycles &of = types[type];
      of.type = type;
      ++of.instances;
      of.cycles += cycles[i];
      of.threadCycles += cycles[i] * (takesAll ? timing_.machine().workers : 1);
    }
  }
  for (const auto &[type, of] : types)
    cost.types.push_back(of);
  return cost;
}

HostUse &ExecutionReplay::useOf(bool isRemoteBuffer, std::uint32_t index) {
  const auto found = std::ranges::find_if(hostUses_, [&](const HostUse &use) {
    return use.isRemoteBuffer == isRemoteBuffer && use.index == index;
  });
  if (found != hostUses_.end())
    return *found;
  return hostUses_.emplace_back(HostUse{isRemoteBuffer, index, 0, 0, 0});
}

/// Records the longest wait of the replica's IPUs for each transfer.
void ExecutionReplay::waitedFor(std::uint32_t ipu, std::size_t number, wire::Cycles cycles) {
  if (ipu >= ipus())
    return;
  waited_.resize(std::max(waited_.size(), number + 1));
  waited_[number] = std::max(waited_[number], cycles.value);
}

void ExecutionReplay::noteHostExchange(std::uint32_t at) {
  const auto &transfers = firstImage().hostExchanges[firstImage().steps[at].index].transfers;
  for (std::size_t i = 0; i < waited_.size(); ++i)
    useOf(false, transfers[i].stream).cycles += waited_[i];
  waited_.clear();
  for (const HostTransfer &transfer : report_->programs[at].transfers) {
    HostUse &use = useOf(false, transfer.index);
    ++use.copies;
    use.bytes += transfer.bytes;
  }
}

void ExecutionReplay::noteRemoteCopy(std::uint32_t index, std::span<const wire::Cycles> now) {
  const wire::RemoteCopy &copy = firstImage().remoteCopies[index];
  HostUse &use = useOf(true, copy.buffer);
  ++use.copies;
  use.bytes += copy.replicaBytes;
  std::uint64_t longest = 0;
  for (std::uint32_t ipu = 0; ipu < ipus(); ++ipu)
    longest = std::max(longest, now[ipu].value - before_[ipu].value);
  use.cycles += longest;
}

} // namespace copse::profile
