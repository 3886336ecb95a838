#include "compiler/compute_set_lowering.hpp"

#include "state_encoder.hpp"
#include "tile_order.hpp"

#include "compiler/exchange_builder.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <optional>

namespace copse::compiler {

using graph::Edge;
using graph::Run;
using popc::FieldDirection;
using wire::Region;

namespace {

// The default cost of a vertex without an estimate: entering and leaving it, and one worker cycle
// for each element that it can load or store. docs/timing-model.md, "Compute".
constexpr std::uint64_t kDefaultVertexCycles = 12;

} // namespace

LoweredComputeSet ComputeSetLowering::emitExchanges(std::uint32_t computeSet,
                                                    std::vector<wire::Image> &images) const {
  ExchangeBuilder before(model_.ipus, model_.tilesPerIpu), after(model_.ipus, model_.tilesPerIpu);
  std::vector<Region> scratch;
  for (const std::uint32_t vertex : index_.vertices[computeSet])
    for (const std::uint32_t i : index_.edges[vertex]) {
      if (!memory_.binding(i).ownsBuffer())
        continue;
      const Edge &edge = model_.edges[i];
      const FieldDirection direction = fieldOfEdge(model_, edge).direction;
      const Region buffer = memory_.dataOf(i);
      scratch.clear();
      placement_.locate(runsOfEdge(model_, edge), "an edge", scratch);
      if (direction != FieldDirection::Output)
        before.add(scratch, {&buffer, 1});
      if (direction != FieldDirection::Input)
        after.add({&buffer, 1}, scratch);
    }
  LoweredComputeSet lowered;
  const auto place = [&](ExchangeBuilder &builder,
                         const char *suffix) -> std::optional<std::uint32_t> {
    if (builder.empty())
      return std::nullopt;
    const auto index = static_cast<std::uint32_t>(images[0].exchanges.size());
    auto exchanges = std::move(builder).finish(model_.computeSets[computeSet].name + suffix);
    for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu)
      images[ipu].exchanges.push_back(std::move(exchanges[ipu]));
    return index;
  };
  lowered.beforeExternal = before.external();
  lowered.afterExternal = after.external();
  lowered.before = place(before, "/gather");
  if (lowered.before && !readsRegisters(computeSet)) {
    const std::vector<std::vector<Region>> written = writtenBy(computeSet);
    for (std::uint32_t ipu = 0; ipu < model_.ipus; ++ipu) {
      wire::Exchange &gather = images[ipu].exchanges[*lowered.before];
      gather.byTile = canGoByTile(gather, written[ipu]);
    }
  }
  lowered.after = place(after, "/scatter");
  return lowered;
}

/// Returns true if an edge reads registers of tiles, which vertices change without an edge.
bool ComputeSetLowering::readsRegisters(std::uint32_t computeSet) const {
  if (model_.tileRegisters.empty())
    return false;
  const auto isRegister = [&](const Run &run) {
    return std::ranges::any_of(model_.tileRegisters,
                               [&](const auto &named) { return named.second == run.variable; });
  };
  for (const std::uint32_t vertex : index_.vertices[computeSet])
    for (const std::uint32_t i : index_.edges[vertex])
      if (std::ranges::any_of(runsOfEdge(model_, model_.edges[i]), isRegister))
        return true;
  return false;
}

/// Returns the memory of the outputs of a compute set's vertices on each IPU, with local tile
/// numbers.
std::vector<std::vector<Region>> ComputeSetLowering::writtenBy(std::uint32_t computeSet) const {
  std::vector<std::vector<Region>> written(model_.ipus);
  for (const std::uint32_t vertex : index_.vertices[computeSet])
    for (const std::uint32_t i : index_.edges[vertex]) {
      if (fieldOfEdge(model_, model_.edges[i]).direction == FieldDirection::Input)
        continue;
      Region bytes = memory_.dataOf(i);
      const std::uint32_t ipu = bytes.tile / model_.tilesPerIpu;
      bytes.tile %= model_.tilesPerIpu;
      written[ipu].push_back(bytes);
    }
  return written;
}

std::uint32_t ComputeSetLowering::cyclesOf(std::uint32_t vertex,
                                           std::optional<std::uint64_t> given) const {
  if (given && *given != kCountedByCode)
    return wire::estimatedRecord(*given);
  std::uint64_t cycles = kDefaultVertexCycles;
  for (const std::uint32_t edge : index_.edges[vertex])
    cycles += model_.edges[edge].elements;
  return given ? wire::countedRecord(cycles) : wire::estimatedRecord(cycles);
}

void ComputeSetLowering::emitVertices(std::uint32_t computeSet, std::vector<wire::Image> &images,
                                      const std::vector<std::uint32_t> &functionOf,
                                      const CycleEstimate &estimate) const {
  for (wire::Image &image : images)
    image.computeSets.push_back({model_.computeSets[computeSet].name, {}, {}, false, {}});
  const StateEncoder states(model_, index_, memory_);
  for (const std::uint32_t vertex : verticesByTile(model_, index_, computeSet)) {
    const graph::Vertex &v = model_.vertices[vertex];
    wire::Image &image = images[v.tile / model_.tilesPerIpu];
    wire::ComputeSet &set = image.computeSets.back();
    const std::uint32_t tile = v.tile % model_.tilesPerIpu;
    if (set.tiles.empty() || set.tiles.back().tile != tile)
      set.tiles.push_back({tile, static_cast<std::uint32_t>(set.vertices.size()), 0});
    ++set.tiles.back().count;
    set.vertices.push_back(
        {memory_.state(vertex).address, functionOf[v.type], cyclesOf(vertex, estimate(vertex))});

    const std::vector<std::byte> bytes = states.encode(vertex);
    image.initial.push_back(
        {{tile, memory_.state(vertex).address, static_cast<std::uint32_t>(bytes.size()), 1, 0},
         image.data.size()});
    image.data.insert(image.data.end(), bytes.begin(), bytes.end());
  }
}

std::vector<LoweredComputeSet>
ComputeSetLowering::emit(std::vector<wire::Image> &images,
                         const std::vector<std::uint32_t> &functionOf,
                         const CycleEstimate &estimate) const {
  std::vector<LoweredComputeSet> lowered;
  for (std::uint32_t set = 0; set < model_.computeSets.size(); ++set) {
    lowered.push_back(emitExchanges(set, images));
    emitVertices(set, images, functionOf, estimate);
  }
  return lowered;
}

} // namespace copse::compiler
