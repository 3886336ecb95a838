#include "vertex_memory.hpp"

#include "popc/arch.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>

namespace copse::compiler {

using graph::Edge;
using graph::Run;
using popc::Field;
using popc::FieldDirection;
using popc::FieldKind;
using wire::Region;

namespace {

constexpr std::uint32_t kBufferAlign = 16;

std::uint32_t requiredAlignment(const Field &field) {
  const auto layout = field.kind == FieldKind::VectorOfVectors ? field.inner : field.outer;
  return std::max({field.minAlign, field.elementBytes, popc::alignOf(layout), 1u});
}

std::uint64_t hashOf(std::uint32_t tile, std::span<const Run> runs) {
  std::uint64_t hash = tile + 1;
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  };
  for (const Run &run : runs) {
    mix(run.variable);
    mix(run.begin);
    mix(run.count);
    mix(static_cast<std::uint64_t>(run.stride));
  }
  return hash;
}

} // namespace

VertexMemory::VertexMemory(const graph::Model &model, const VertexIndex &index,
                           const Placement &placement, const MemoryRules &rules,
                           TileAllocator &allocator)
    : model_(model), placement_(placement), rules_(rules), index_(index),
      memoryBase_(allocator.base()), bindings_(model.edges.size()), states_(model.vertices.size()),
      buffers_(allocator.tiles()) {
  for (std::uint32_t set = 0; set < model.computeSets.size(); ++set)
    layOutStates(set, allocator);
}

void VertexMemory::layOutStates(std::uint32_t computeSet, TileAllocator &allocator) {
  for (const std::uint32_t vertex : index_.vertices[computeSet]) {
    const GlobalTile tile = model_.vertices[vertex].tile;
    if (tile == graph::kNoTile)
      throw poplar::invalid_tile_mapping("vertex '" + typeOfVertex(model_, vertex).name +
                                         "' in compute set '" +
                                         model_.computeSets[computeSet].name +
                                         "' has no tile; call Graph::setTileMapping() for it");
    State &state = states_[vertex];
    state.layout = layOutState(model_, index_, vertex);
    state.address = allocator.allocate(tile, state.layout.bytes, state.layout.align);
  }
}

void VertexMemory::placeBuffers(const Liveness &liveness, MemorySharing &sharing) {
  for (std::uint32_t set = 0; set < model_.computeSets.size(); ++set)
    bindComputeSet(set, liveness.computeSets[set], sharing);
}

void VertexMemory::bindComputeSet(std::uint32_t computeSet, LiveRanges::Id range,
                                  MemorySharing &sharing) {
  constexpr std::uint32_t kAlign = 64;
  inputBuffers_.clear();
  const auto vertices = index_.vertices[computeSet];
  for (const std::uint32_t vertex : vertices) {
    for (std::vector<AddressRange> &ranges : bound_)
      ranges.clear();
    bound_.resize(std::max(bound_.size(), typeOfVertex(model_, vertex).fields.size()));
    for (const std::uint32_t edge : index_.edges[vertex])
      bindInPlaceByRules(edge);
    for (const std::uint32_t edge : index_.edges[vertex]) // these avoid the former
      if (!bindings_[edge].inPlace)
        bindEdge(edge, range, sharing);
  }
  for (const std::uint32_t vertex : vertices) {
    const GlobalTile tile = model_.vertices[vertex].tile;
    Buffers &buffers = buffers_[tile];
    if (buffers.bytes > 0)
      buffers = {0, sharing.place(tile, buffers.bytes, kAlign, range)};
    for (const std::uint32_t edge : index_.edges[vertex])
      if (bindings_[edge].buffered && !bindings_[edge].own)
        bindings_[edge].address += buffers.address;
  }
}

AddressRange VertexMemory::bytesOf(std::uint32_t i) const {
  const Edge &edge = model_.edges[i];
  const std::uint64_t begin = bindings_[i].address;
  return {begin, begin + edge.elements * fieldOfEdge(model_, edge).elementBytes};
}

/// Returns what the rules allow for an edge, given the edges of its vertex that are already bound.
Bounds VertexMemory::boundsOf(std::uint32_t i) const {
  const Edge &edge = model_.edges[i];
  const std::uint32_t type = model_.vertices[edge.vertex].type;
  Bounds bounds{rules_.lowest(type, edge.field), {}, rules_.binding(type)};
  for (const popc::FieldsApart &apart : rules_.apartFrom(type, edge.field))
    for (const AddressRange &other : bound_[apart.b])
      bounds.taken.push_back(rules_.around(other, apart.regions));
  return bounds;
}

/// Records for boundsOf() that an address is final.
/// \param i  the edge with that address
void VertexMemory::noteBound(std::uint32_t i) {
  std::vector<AddressRange> &ranges = bound_[model_.edges[i].field];
  const AddressRange bytes = bytesOf(i);
  if (!ranges.empty() && ranges.back().end == bytes.begin) // adjacent rows of one variable
    ranges.back().end = bytes.end;
  else
    ranges.push_back(bytes);
}

/// \returns false if the vertex cannot use the elements where they are
bool VertexMemory::bindInPlace(std::uint32_t i, const Bounds &bounds) {
  const Edge &edge = model_.edges[i];
  located_.clear();
  placement_.locate(runsOfEdge(model_, edge), {model_, edge.vertex, edge.field}, located_);
  const Region &first = located_.front();
  const bool local =
      located_.size() == 1 && first.count == 1 && first.tile == model_.vertices[edge.vertex].tile;
  if (!local || first.address % requiredAlignment(fieldOfEdge(model_, edge)) != 0 ||
      !bounds.allow({first.address, std::uint64_t{first.address} + first.bytes}))
    return false;
  bindings_[i].address = first.address;
  return true;
}

/// \param bounds  null: there are no rules
/// \returns true if another edge of the compute set has these elements in a buffer
bool VertexMemory::shareBuffer(std::uint32_t i, std::uint64_t hash, const Bounds *bounds) {
  const Edge &edge = model_.edges[i];
  const std::uint32_t align = requiredAlignment(fieldOfEdge(model_, edge));
  const auto [first, last] = inputBuffers_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Edge &other = model_.edges[it->second];
    const bool same = model_.vertices[other.vertex].tile == model_.vertices[edge.vertex].tile &&
                      std::ranges::equal(runsOfEdge(model_, other), runsOfEdge(model_, edge));
    const Binding &there = bindings_[it->second];
    const bool allowed = !bounds || (there.own && bounds->allow(bytesOf(it->second)));
    if (same && allowed && there.address % align == 0) {
      bindings_[i] = {there.address, true, true, there.own, false, there.fromOthers};
      return true;
    }
  }
  return false;
}

/// Binds an edge with rules in place, if its elements lie where the rules allow.
void VertexMemory::bindInPlaceByRules(std::uint32_t i) {
  const Edge &edge = model_.edges[i];
  if (edge.elements == 0 || !rules_.concern(model_.vertices[edge.vertex].type, edge.field) ||
      !bindInPlace(i, boundsOf(i)))
    return;
  bindings_[i].inPlace = true;
  noteBound(i);
}

/// Binds an edge with rules to a buffer of its own.
/// \returns false if the tile is too small for that and the vertex does not depend on the rules
bool VertexMemory::bindByRules(std::uint32_t i, LiveRanges::Id range, MemorySharing &sharing) {
  const Bounds bounds = boundsOf(i);
  const Edge &edge = model_.edges[i];
  const Field &field = fieldOfEdge(model_, edge);
  const GlobalTile tile = model_.vertices[edge.vertex].tile;
  const bool isInput = field.direction == FieldDirection::Input;
  const std::uint64_t hash = isInput ? hashOf(tile, runsOfEdge(model_, edge)) : 0;
  if (isInput && shareBuffer(i, hash, &bounds))
    return true;
  const std::uint32_t align = std::max(requiredAlignment(field), kBufferAlign);
  const std::uint64_t bytes = edge.elements * field.elementBytes;
  if (!bounds.binding && !sharing.fits(tile, bytes, align, range, bounds))
    return false;
  bindings_[i] = {
      sharing.place(tile, bytes, align, range, bounds), true, false, true, false, isFromOthers(i)};
  if (isInput)
    inputBuffers_.emplace(hash, i);
  return true;
}

void VertexMemory::bindEdge(std::uint32_t i, LiveRanges::Id range, MemorySharing &sharing) {
  const Edge &edge = model_.edges[i];
  const Field &field = fieldOfEdge(model_, edge);
  const graph::Vertex &vertex = model_.vertices[edge.vertex];
  Binding &binding = bindings_[i];
  if (edge.elements == 0) {
    binding.address = memoryBase_;
    return;
  }
  const bool ruled = rules_.concern(vertex.type, edge.field);
  if ((ruled && bindByRules(i, range, sharing)) || bindInPlace(i, {})) {
    if (ruled)
      noteBound(i);
    return;
  }
  binding.buffered = true;
  binding.fromOthers = isFromOthers(i);
  if (field.direction == FieldDirection::Input) {
    const std::uint64_t hash = hashOf(vertex.tile, runsOfEdge(model_, edge));
    if (shareBuffer(i, hash, nullptr))
      return;
    inputBuffers_.emplace(hash, i);
  }
  const std::uint32_t align = std::max(requiredAlignment(field), kBufferAlign);
  std::uint64_t &used = buffers_[vertex.tile].bytes;
  used = (used + align - 1) / align * align;
  binding.address = static_cast<std::uint32_t>(used);
  used += edge.elements * field.elementBytes;
}

/// Returns true if elements of an edge are on other tiles than its vertex.
bool VertexMemory::isFromOthers(std::uint32_t i) {
  const Edge &edge = model_.edges[i];
  located_.clear();
  placement_.locate(runsOfEdge(model_, edge), {model_, edge.vertex, edge.field}, located_);
  return std::ranges::any_of(located_, [tile = model_.vertices[edge.vertex].tile](const Region &r) {
    return r.tile != tile;
  });
}

Region VertexMemory::dataOf(std::uint32_t i) const {
  const Edge &edge = model_.edges[i];
  const std::uint64_t bytes = edge.elements * fieldOfEdge(model_, edge).elementBytes;
  return {model_.vertices[edge.vertex].tile, bindings_[i].address,
          static_cast<std::uint32_t>(bytes), 1, 0};
}

VertexMemory::EdgeCounts VertexMemory::countEdges() const {
  EdgeCounts counts;
  for (const Binding &binding : bindings_) {
    ++(binding.buffered ? counts.buffered : counts.inPlace);
    counts.shared += binding.shared;
  }
  return counts;
}

} // namespace copse::compiler
