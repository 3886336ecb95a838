#include "control/loaded.hpp"

#include "wire/step_bodies.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace copse::ipud {
namespace {

/// Returns the address ranges with executable code, ascending and without overlaps.
std::vector<CodeRange> rangesOf(const wire::Image &image, const Chip &chip) {
  std::vector<CodeRange> all, merged;
  for (const auto &section : image.code) {
    if (section.isForNativeCode)
      continue;
    const std::uint32_t end = std::min(section.address + section.bytes, chip.interleaved);
    if (section.address >= chip.begin && section.address < end)
      all.push_back({section.address, end});
  }
  std::ranges::sort(all, {}, &CodeRange::begin);
  for (const auto &range : all)
    if (!merged.empty() && range.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  return merged;
}

/// Returns the state of a tile after a reset. Hardware leaves the random number generators
/// unseeded, so that they return zeros; here they are seeded.
std::unique_ptr<TileContexts> freshTile(std::uint32_t tile,
                                        const std::vector<std::uint32_t> &stacks) {
  auto contexts = std::make_unique<TileContexts>();
  for (std::uint32_t worker = 0; worker < kWorkers; ++worker) {
    contexts->workers[worker].prng = fp::Prng::seeded(tile * kWorkers + worker + 1);
    contexts->workerBase[worker] = stacks[worker];
  }
  return contexts;
}

} // namespace

void prepareTileCode(Loaded &loaded, bool translates) {
  const auto &image = loaded.image;
  loaded.interpreted.assign(image.computeSets.size(), false);
  const auto isOfTiles = [](const wire::CodeSection &section) { return !section.isForNativeCode; };
  if (std::ranges::none_of(image.code, isOfTiles))
    return;
  NativeEntries natives(image.functions);
  Chip chip = chipOf(image.architecture);
  chip.nativeEnd = natives.end();
  loaded.code =
      std::make_unique<TileCodeState>(chip, rangesOf(image, chip), std::move(natives),
                                      translates ? Translation::HotCode : Translation::None);
  loaded.code->supervisorStack = image.stacks.back();
  loaded.code->tiles.resize(image.geometry.tiles);
  for (std::size_t s = 0; s < image.computeSets.size(); ++s)
    for (const auto &run : image.computeSets[s].tiles)
      for (std::uint32_t v = run.first; v < run.first + run.count; ++v) {
        const auto kind = image.functions[image.computeSets[s].vertices[v].function].kind;
        if (!wire::isTileCode(kind) && kind != wire::CodeKind::NativeSupervisor)
          continue;
        loaded.interpreted[s] = true;
        if (auto &tile = loaded.code->tiles[run.tile]; !tile)
          tile = freshTile(run.tile, image.stacks);
      }
}

namespace {

std::vector<std::uint64_t> knownCyclesOf(const wire::ComputeSet &set,
                                         const std::vector<wire::CodeletFunction> &functions) {
  const auto isMeasured = [&](const wire::VertexRecord &vertex) {
    return wire::isMeasured(vertex, functions);
  };
  std::vector<std::uint64_t> cycles;
  if (std::ranges::none_of(set.vertices, isMeasured))
    return cycles;
  for (const auto &vertex : set.vertices)
    cycles.push_back(isMeasured(vertex) ? 0 : vertex.cycles);
  return cycles;
}

wire::Cycles costOf(std::span<const wire::Exchange> together, const wire::Image &image,
                    const PlaceInPartition &place, const clock::TimingModel &timing) {
  wire::Cycles cost = timing.externalExchange(together, image.ipu, place.replica.value,
                                              place.replicas, place.ipusPerReplica);
  for (const wire::Exchange &exchange : together)
    cost += timing.internalExchange(exchange);
  return cost;
}

} // namespace

void sortMoves(Loaded &loaded) {
  const wire::Image &image = loaded.image;
  loaded.movesByTile.resize(image.exchanges.size());
  for (std::size_t at = 0; at + 1 < image.steps.size(); ++at) {
    const wire::Step &step = image.steps[at], &next = image.steps[at + 1];
    if (step.op != wire::Op::Exchange || step.count != 0 || next.op != wire::Op::ComputeSet)
      continue;
    MovesByTile &byTile = loaded.movesByTile[step.index];
    const wire::ComputeSet &set = image.computeSets[next.index];
    if (image.exchanges[step.index].byTile && byTile.begins.empty() && !set.tiles.empty())
      byTile = MovesByTile::of(image.exchanges[step.index], next.index, set.tiles);
  }
}

void computeCosts(Loaded &loaded, const clock::TimingModel &timing) {
  const auto &image = loaded.image;
  for (const auto &set : image.computeSets)
    loaded.knownCycles.push_back(knownCyclesOf(set, image.functions));
  loaded.lastRuns = std::make_unique<std::vector<LastRun>>(image.computeSets.size());
  for (const auto &set : image.computeSets) {
    loaded.computeSetCosts.push_back(timing.computeSet(set, image.functions));
    std::uint64_t work = 0;
    for (const auto &vertex : set.vertices)
      work += wire::expectedCycles(vertex.cycles);
    loaded.computeSetWork.push_back(work);
  }
  const auto &place = loaded.placement;
  std::map<std::pair<std::uint32_t, std::uint32_t>, wire::Cycles> exchanges;
  for (const wire::Step &step : image.steps) {
    wire::Cycles cost;
    if (step.op == wire::Op::Exchange) {
      const auto [known, isNew] = exchanges.try_emplace({step.index, step.count});
      if (isNew)
        known->second = costOf(wire::exchangesOf(image, step), image, place, timing);
      cost = known->second;
    }
    loaded.exchangeCosts.push_back(cost);
  }
}

} // namespace copse::ipud
