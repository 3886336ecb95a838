#include "profile/profile_data.hpp"

#include <algorithm>
#include <iterator>

namespace copse::profile {

StepSpan spanOf(const ReportData &report, const RunRecord &run, std::uint32_t step) {
  StepSpan span;
  bool isFirst = true;
  for (std::uint32_t ipu = 0; ipu < report.target.ipus; ++ipu) {
    const std::uint64_t from = report.startOf(run, step, ipu), to = report.endOf(step, ipu);
    if (from == to && !(isFirst && ipu + 1 == report.target.ipus))
      continue; // does nothing in this step
    span.from = isFirst ? from : std::min(span.from, from);
    span.to = std::max(span.to, to);
    span.cycles = std::max(span.cycles, to - from);
    isFirst = false;
  }
  return span;
}

std::uint32_t waitedFor(const ReportData &report, const RunRecord &run, std::uint32_t step,
                        std::uint32_t ipu) {
  std::uint32_t last = ipu;
  for (const auto &group : report.programs[report.steps[step].program].syncGroups)
    if (std::ranges::find(group, ipu) != group.end())
      for (const std::uint32_t member : group)
        if (report.startOf(run, step, member) > report.startOf(run, step, last))
          last = member;
  return last;
}

namespace {

/// Returns the entry of a sorted list of adjacent tiles that contains \p tile; null if there is
/// none.
template <class Tiles> const Tiles *findTile(const std::vector<Tiles> &tiles, std::uint32_t tile) {
  const auto after = std::ranges::upper_bound(tiles, tile, {}, &Tiles::first);
  if (after == tiles.begin())
    return nullptr;
  const Tiles &entry = *std::prev(after);
  return tile - entry.first < entry.count ? &entry : nullptr;
}

} // namespace

std::vector<std::uint64_t> cyclesByTile(const ReportData &report, const ComputeCost &cost) {
  std::vector<std::uint64_t> cycles(report.tiles.size(), 0);
  for (const TileCycles &tiles : cost.tiles)
    std::fill_n(cycles.begin() + tiles.first, tiles.count, tiles.cycles);
  return cycles;
}

std::vector<std::uint64_t> cyclesByTile(const ReportData &report, const RunRecord &run,
                                        std::uint32_t step) {
  const StepReport &of = report.steps[step];
  if (of.cost != StepReport::kNoCost)
    return cyclesByTile(report, report.costs[of.cost]);
  std::vector<std::uint64_t> cycles(report.tiles.size(), 0);
  for (const TileTraffic &tiles : report.programs[of.program].traffic)
    for (std::uint32_t tile = tiles.first; tile < tiles.first + tiles.count; ++tile) {
      const std::uint32_t ipu = tile / report.target.tilesPerIpu;
      cycles[tile] = tiles.cycles != 0 ? tiles.cycles
                                       : report.endOf(step, ipu) - report.startOf(run, step, ipu);
    }
  return cycles;
}

namespace {

/// Appends the spans of \p run's blocks on the first tile of IPU \p ipu, without those in which
/// that IPU does nothing.
void addBlockRuns(const ReportData &report, const RunRecord &run, std::uint32_t ipu,
                  std::vector<Block> &blocks) {
  const auto numbers = static_cast<std::uint32_t>(report.programs.size());
  const auto first =
      std::ranges::lower_bound(report.blockRuns, run.firstStep, {}, &BlockRun::first);
  for (auto of = first; of != report.blockRuns.end() && of->first < run.firstStep + run.steps; ++of)
    if (report.blocks[of->block].isListed) {
      const std::uint64_t from = report.startOf(run, of->first, ipu);
      const std::uint64_t to = report.endOf(of->end - 1, ipu);
      if (from != to)
        blocks.push_back({numbers + of->block, from, to});
    }
}

} // namespace

std::vector<Block> blocksOf(const ReportData &report, std::uint32_t tile) {
  std::vector<Block> blocks;
  const std::uint32_t ipu = tile / report.target.tilesPerIpu;
  for (const RunRecord &run : report.runs) {
    if (tile % report.target.tilesPerIpu == 0)
      addBlockRuns(report, run, ipu, blocks);
    for (std::uint32_t s = run.firstStep; s < run.firstStep + run.steps; ++s) {
      const StepReport &step = report.steps[s];
      const ProgramReport &program = report.programs[step.program];
      if (!program.hasBlocks)
        continue;
      const std::uint64_t from = report.startOf(run, s, ipu);
      if (step.cost == StepReport::kNoCost) {
        if (findTile(program.traffic, tile))
          blocks.push_back({step.program, from, report.endOf(s, ipu)});
      } else if (const auto *cycles = findTile(report.costs[step.cost].tiles, tile)) {
        blocks.push_back({step.program, from, from + cycles->cycles});
      }
    }
  }
  std::ranges::stable_sort(blocks, [](const Block &a, const Block &b) {
    return a.from != b.from ? a.from < b.from : a.to > b.to;
  });
  return blocks;
}

} // namespace copse::profile
