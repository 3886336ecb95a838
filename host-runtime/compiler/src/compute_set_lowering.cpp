#include "compiler/compute_set_lowering.hpp"

#include "check_tables.hpp"
#include "field_encoding.hpp"
#include "memory_recorder.hpp"
#include "tile_order.hpp"
#include "vertex_bytes.hpp"

#include "compiler/exchange_builder.hpp"
#include "popc/arch.hpp"
#include "poplar/exceptions.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

namespace copse::compiler {

using graph::Edge;
using graph::Run;
using popc::Field;
using popc::FieldDirection;
using popc::FieldKind;
using wire::Region;

namespace {

constexpr std::uint32_t kBufferAlign = 16;

// The default cost of a vertex that nobody gave an estimate for: entering and leaving it, and one
// worker cycle for each element that it can load or store. docs/timing-model.md, "Compute".
constexpr std::uint64_t kDefaultVertexCycles = 12;

std::span<const Run> runsOf(const graph::Model &model, const Edge &edge) {
  return {model.runs.data() + edge.runs.first, edge.runs.count};
}

const popc::VertexType &typeOf(const graph::Model &model, std::uint32_t vertex) {
  return model.vertexTypes[model.vertices[vertex].type];
}

const Field &fieldOf(const graph::Model &model, const Edge &edge) {
  return typeOf(model, edge.vertex).fields[edge.field];
}

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

ComputeSetLowering::ComputeSetLowering(const graph::Model &model, const VertexIndex &index,
                                       const Placement &placement, const MemoryRules &rules,
                                       TileAllocator &allocator)
    : model_(model), placement_(placement), rules_(rules), index_(index),
      memoryBase_(allocator.base()), bindings_(model.edges.size()), states_(model.vertices.size()),
      buffers_(allocator.tiles()) {
  for (std::uint32_t set = 0; set < model.computeSets.size(); ++set)
    layOutStates(set, allocator);
}

void ComputeSetLowering::layOutStates(std::uint32_t computeSet, TileAllocator &allocator) {
  for (const std::uint32_t vertex : index_.vertices[computeSet]) {
    const GlobalTile tile = model_.vertices[vertex].tile;
    if (tile == graph::kNoTile)
      throw poplar::invalid_tile_mapping("vertex '" + typeOf(model_, vertex).name +
                                         "' in compute set '" +
                                         model_.computeSets[computeSet].name +
                                         "' has no tile; call Graph::setTileMapping() for it");
    State &state = states_[vertex];
    state.layout = layOutState(model_, index_, vertex);
    state.address = allocator.allocate(tile, state.layout.bytes, state.layout.align);
  }
}

void ComputeSetLowering::placeBuffers(const Liveness &liveness, MemorySharing &sharing) {
  for (std::uint32_t set = 0; set < model_.computeSets.size(); ++set)
    bindComputeSet(set, liveness.computeSets[set], sharing);
}

void ComputeSetLowering::bindComputeSet(std::uint32_t computeSet, LiveRanges::Id range,
                                        MemorySharing &sharing) {
  constexpr std::uint32_t kAlign = 64;
  inputBuffers_.clear();
  const auto vertices = index_.vertices[computeSet];
  for (const std::uint32_t vertex : vertices) {
    for (std::vector<AddressRange> &ranges : bound_)
      ranges.clear();
    bound_.resize(std::max(bound_.size(), typeOf(model_, vertex).fields.size()));
    for (const std::uint32_t edge : index_.edges[vertex])
      bindInPlaceByRules(edge);
    for (const std::uint32_t edge : index_.edges[vertex]) // around those
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

AddressRange ComputeSetLowering::bytesOf(std::uint32_t i) const {
  const Edge &edge = model_.edges[i];
  const std::uint64_t begin = bindings_[i].address;
  return {begin, begin + edge.elements * fieldOf(model_, edge).elementBytes};
}

/// What the rules say about an edge, now that those of its vertex before it are bound.
Bounds ComputeSetLowering::boundsOf(std::uint32_t i) const {
  const Edge &edge = model_.edges[i];
  const std::uint32_t type = model_.vertices[edge.vertex].type;
  Bounds bounds{rules_.lowest(type, edge.field), {}, rules_.binding(type)};
  for (const popc::FieldsApart &apart : rules_.apartFrom(type, edge.field))
    for (const AddressRange &other : bound_[apart.b])
      bounds.taken.push_back(rules_.around(other, apart.regions));
  return bounds;
}

/// For boundsOf(). \param i  an edge whose address is final
void ComputeSetLowering::noteBound(std::uint32_t i) {
  std::vector<AddressRange> &ranges = bound_[model_.edges[i].field];
  const AddressRange bytes = bytesOf(i);
  if (!ranges.empty() && ranges.back().end == bytes.begin) // rows of one variable
    ranges.back().end = bytes.end;
  else
    ranges.push_back(bytes);
}

/// \returns false if the elements do not lie where the vertex can use them
bool ComputeSetLowering::bindInPlace(std::uint32_t i, const Bounds &bounds) {
  const Edge &edge = model_.edges[i];
  located_.clear();
  placement_.locate(runsOf(model_, edge), {model_, edge.vertex, edge.field}, located_);
  const Region &first = located_.front();
  const bool local =
      located_.size() == 1 && first.count == 1 && first.tile == model_.vertices[edge.vertex].tile;
  if (!local || first.address % requiredAlignment(fieldOf(model_, edge)) != 0 ||
      !bounds.allow({first.address, std::uint64_t{first.address} + first.bytes}))
    return false;
  bindings_[i].address = first.address;
  return true;
}

/// \param bounds  null: there are no rules
/// \returns whether another edge of the compute set has the same elements in a buffer
bool ComputeSetLowering::shareBuffer(std::uint32_t i, std::uint64_t hash, const Bounds *bounds) {
  const Edge &edge = model_.edges[i];
  const std::uint32_t align = requiredAlignment(fieldOf(model_, edge));
  const auto [first, last] = inputBuffers_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const Edge &other = model_.edges[it->second];
    const bool same = model_.vertices[other.vertex].tile == model_.vertices[edge.vertex].tile &&
                      std::ranges::equal(runsOf(model_, other), runsOf(model_, edge));
    const Binding &there = bindings_[it->second];
    const bool allowed = !bounds || (there.own && bounds->allow(bytesOf(it->second)));
    if (same && allowed && there.address % align == 0) {
      bindings_[i] = {there.address, true, true, there.own, false, there.fromOthers};
      return true;
    }
  }
  return false;
}

/// Binds an edge that there are rules about, if its elements lie where these allow.
void ComputeSetLowering::bindInPlaceByRules(std::uint32_t i) {
  const Edge &edge = model_.edges[i];
  if (edge.elements == 0 || !rules_.concern(model_.vertices[edge.vertex].type, edge.field) ||
      !bindInPlace(i, boundsOf(i)))
    return;
  bindings_[i].inPlace = true;
  noteBound(i);
}

/// Binds an edge that there are rules about, in a buffer of its own.
/// \returns false if the tile is too small for that, and the vertex does without
bool ComputeSetLowering::bindByRules(std::uint32_t i, LiveRanges::Id range,
                                     MemorySharing &sharing) {
  const Bounds bounds = boundsOf(i);
  const Edge &edge = model_.edges[i];
  const Field &field = fieldOf(model_, edge);
  const GlobalTile tile = model_.vertices[edge.vertex].tile;
  const bool isInput = field.direction == FieldDirection::Input;
  const std::uint64_t hash = isInput ? hashOf(tile, runsOf(model_, edge)) : 0;
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

void ComputeSetLowering::bindEdge(std::uint32_t i, LiveRanges::Id range, MemorySharing &sharing) {
  const Edge &edge = model_.edges[i];
  const Field &field = fieldOf(model_, edge);
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
    const std::uint64_t hash = hashOf(vertex.tile, runsOf(model_, edge));
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

/// Whether elements of an edge lie on other tiles than its vertex.
bool ComputeSetLowering::isFromOthers(std::uint32_t i) {
  const Edge &edge = model_.edges[i];
  located_.clear();
  placement_.locate(runsOf(model_, edge), {model_, edge.vertex, edge.field}, located_);
  return std::ranges::any_of(located_, [tile = model_.vertices[edge.vertex].tile](const Region &r) {
    return r.tile != tile;
  });
}

Region ComputeSetLowering::bufferOf(std::uint32_t i) const {
  const Edge &edge = model_.edges[i];
  const std::uint64_t bytes = edge.elements * fieldOf(model_, edge).elementBytes;
  return {model_.vertices[edge.vertex].tile, bindings_[i].address,
          static_cast<std::uint32_t>(bytes), 1, 0};
}

void ComputeSetLowering::recordBuffers(std::uint32_t computeSet, LiveRanges::Id range,
                                       MemoryRecorder &recorder) const {
  std::array<std::optional<std::uint32_t>, 2> items; // of rearrangements, of messages
  for (const std::uint32_t vertex : index_.vertices[computeSet])
    for (const std::uint32_t i : index_.edges[vertex]) {
      const Binding &binding = bindings_[i];
      if (!binding.buffered || binding.shared)
        continue;
      std::optional<std::uint32_t> &item = items[binding.fromOthers ? 1 : 0];
      if (!item) {
        const std::string kind = binding.fromOthers ? "<message:" : "<rearrangement:";
        item = recorder.addItem(
            {kind + model_.computeSets[computeSet].name + ">",
             binding.fromOthers ? MemoryUse::MessageBuffer : MemoryUse::RearrangementBuffer,
             {},
             {},
             range});
        recorder.addBuffer(computeSet, *item);
      }
      const Region buffer = bufferOf(i);
      recorder.add(buffer.tile, *item, buffer.address, buffer.bytes);
    }
}

std::vector<VertexBytes> ComputeSetLowering::record(const Liveness &liveness,
                                                    MemoryRecorder &recorder) const {
  StateRecorder states(recorder, model_);
  for (std::uint32_t set = 0; set < model_.computeSets.size(); ++set) {
    for (const std::uint32_t vertex : index_.vertices[set]) {
      states.add(model_.vertices[vertex], states_[vertex].address, states_[vertex].layout);
      for (const std::uint32_t edge : index_.edges[vertex])
        for (const Run &run : runsOf(model_, model_.edges[edge]))
          recorder.addUse(set, run.variable);
    }
    recordBuffers(set, liveness.computeSets[set], recorder);
  }
  return states.takeBytes();
}

ComputeSetLowering::EdgeCounts ComputeSetLowering::countEdges() const {
  EdgeCounts counts;
  for (const Binding &binding : bindings_) {
    ++(binding.buffered ? counts.buffered : counts.inPlace);
    counts.shared += binding.shared;
  }
  return counts;
}

std::vector<std::byte> ComputeSetLowering::encodeState(std::uint32_t vertex) const {
  const State &state = states_[vertex];
  std::vector<std::byte> bytes(state.layout.bytes);
  for (const std::uint32_t edge : index_.edges[vertex])
    encodeEdge(edge, state, bytes);
  for (const std::uint32_t value : index_.values[vertex])
    encodeValue(model_.fieldValues[value], state, bytes);
  encodeOuterPointers(vertex, state, bytes);
  return bytes;
}

void ComputeSetLowering::encodeEdge(std::uint32_t i, const State &state,
                                    std::vector<std::byte> &bytes) const {
  const Edge &edge = model_.edges[i];
  const Field &field = fieldOf(model_, edge);
  const Pointer pointer{bindings_[i].address, edge.elements};
  const Where where(model_, edge.vertex, edge.field);
  const std::span<std::byte> all(bytes);
  switch (field.kind) {
  case FieldKind::Scalar:
  case FieldKind::Vector:
    return encodePointer(field.outer, pointer, memoryBase_, where,
                         all.subspan(field.offset, field.bytes));
  case FieldKind::VectorOfScalars:
  case FieldKind::VectorOfVectors: {
    const std::uint32_t entry = pointerBytes(field.inner);
    const std::uint32_t at = state.layout.fields[edge.field].tableOffset + edge.index * entry;
    return encodePointer(field.inner, pointer, memoryBase_, where, all.subspan(at, entry));
  }
  case FieldKind::VectorList: // all rows at once: encodeList()
    return;
  }
}

void ComputeSetLowering::encodeValue(const graph::FieldValue &value, const State &state,
                                     std::vector<std::byte> &bytes) const {
  const Field &field = typeOf(model_, value.vertex).fields[value.field];
  const bool inTable = field.kind == FieldKind::Vector && state.layout.fields[value.field].size > 0;
  const std::uint32_t at = inTable ? state.layout.fields[value.field].tableOffset : field.offset;
  const std::size_t room = inTable ? bytes.size() - at : field.bytes;
  std::memcpy(bytes.data() + at, value.bytes.data(), std::min(room, value.bytes.size()));
}

void ComputeSetLowering::encodeOuterPointers(std::uint32_t vertex, const State &state,
                                             std::vector<std::byte> &bytes) const {
  const popc::VertexType &type = typeOf(model_, vertex);
  for (std::uint16_t f = 0; f < type.fields.size(); ++f) {
    const Field &field = type.fields[f];
    const StateLayout::FieldPart &part = state.layout.fields[f];
    if (field.kind == FieldKind::VectorList) {
      encodeList(vertex, f, state, bytes);
      continue;
    }
    const bool nested =
        field.kind == FieldKind::VectorOfScalars || field.kind == FieldKind::VectorOfVectors;
    if (!nested && part.size == 0)
      continue;
    const std::uint32_t table = part.size == 0 ? memoryBase_ : state.address + part.tableOffset;
    encodePointer(field.outer, {table, part.size}, memoryBase_, {model_, vertex, f},
                  std::span<std::byte>(bytes).subspan(field.offset, field.bytes));
  }
}

void ComputeSetLowering::encodeList(std::uint32_t vertex, std::uint16_t f, const State &state,
                                    std::vector<std::byte> &bytes) const {
  const Field &field = typeOf(model_, vertex).fields[f];
  const StateLayout::FieldPart &part = state.layout.fields[f];
  std::vector<Pointer> rows(part.size);
  for (const std::uint32_t edge : index_.edges[vertex])
    if (model_.edges[edge].field == f)
      rows[model_.edges[edge].index] = {bindings_[edge].address, model_.edges[edge].elements};
  const std::uint32_t table = part.size == 0 ? memoryBase_ : state.address + part.tableOffset;
  const std::span<std::byte> all(bytes);
  compiler::encodeList(field.outer, rows, std::max(field.minAlign, 1u), table, memoryBase_,
                       {model_, vertex, f}, all.subspan(field.offset, field.bytes),
                       part.size == 0 ? std::span<std::byte>() : all.subspan(part.tableOffset));
}

LoweredComputeSet ComputeSetLowering::emitExchanges(std::uint32_t computeSet,
                                                    std::vector<wire::Image> &images) const {
  ExchangeBuilder before(model_.ipus, model_.tilesPerIpu), after(model_.ipus, model_.tilesPerIpu);
  std::vector<Region> scratch;
  for (const std::uint32_t vertex : index_.vertices[computeSet])
    for (const std::uint32_t i : index_.edges[vertex]) {
      const Binding &binding = bindings_[i];
      if (!binding.buffered || binding.shared)
        continue;
      const Edge &edge = model_.edges[i];
      const FieldDirection direction = fieldOf(model_, edge).direction;
      const Region buffer = bufferOf(i);
      scratch.clear();
      placement_.locate(runsOf(model_, edge), "an edge", scratch);
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

/// Whether an edge reads registers of tiles, which vertices change without an edge.
bool ComputeSetLowering::readsRegisters(std::uint32_t computeSet) const {
  if (model_.tileRegisters.empty())
    return false;
  const auto isRegister = [&](const Run &run) {
    return std::ranges::any_of(model_.tileRegisters,
                               [&](const auto &named) { return named.second == run.variable; });
  };
  for (const std::uint32_t vertex : index_.vertices[computeSet])
    for (const std::uint32_t i : index_.edges[vertex])
      if (std::ranges::any_of(runsOf(model_, model_.edges[i]), isRegister))
        return true;
  return false;
}

/// Where the outputs of a compute set's vertices lie on each IPU, with its own tile numbers.
std::vector<std::vector<Region>> ComputeSetLowering::writtenBy(std::uint32_t computeSet) const {
  std::vector<std::vector<Region>> written(model_.ipus);
  for (const std::uint32_t vertex : index_.vertices[computeSet])
    for (const std::uint32_t i : index_.edges[vertex]) {
      if (fieldOf(model_, model_.edges[i]).direction == FieldDirection::Input)
        continue;
      Region bytes = bufferOf(i);
      const std::uint32_t ipu = bytes.tile / model_.tilesPerIpu;
      bytes.tile %= model_.tilesPerIpu;
      written[ipu].push_back(bytes);
    }
  return written;
}

std::vector<std::uint32_t> ComputeSetLowering::byTile(std::uint32_t computeSet) const {
  const auto vertices = index_.vertices[computeSet];
  std::vector<std::uint32_t> sorted(vertices.begin(), vertices.end());
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return model_.vertices[a].tile < model_.vertices[b].tile;
  });
  return sorted;
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
                                      const CycleEstimate &estimate,
                                      std::vector<NameList> &names) const {
  for (wire::Image &image : images)
    image.computeSets.push_back({model_.computeSets[computeSet].name, {}, {}, false, {}});
  for (const std::uint32_t vertex : byTile(computeSet)) {
    const graph::Vertex &v = model_.vertices[vertex];
    wire::Image &image = images[v.tile / model_.tilesPerIpu];
    wire::ComputeSet &set = image.computeSets.back();
    const std::uint32_t tile = v.tile % model_.tilesPerIpu;
    if (set.tiles.empty() || set.tiles.back().tile != tile)
      set.tiles.push_back({tile, static_cast<std::uint32_t>(set.vertices.size()), 0});
    ++set.tiles.back().count;
    set.vertices.push_back(
        {states_[vertex].address, functionOf[v.type], cyclesOf(vertex, estimate(vertex))});

    const std::vector<std::byte> bytes = encodeState(vertex);
    image.initial.push_back(
        {{tile, states_[vertex].address, static_cast<std::uint32_t>(bytes.size()), 1, 0},
         image.data.size()});
    image.data.insert(image.data.end(), bytes.begin(), bytes.end());
    if (image.checks.present)
      emitGiven(vertex, names[v.tile / model_.tilesPerIpu], image.checks);
  }
}

/// What a checker lets the vertex do: read its state, change the fields that are state, and use its edges.
void ComputeSetLowering::emitGiven(std::uint32_t vertex, NameList &names,
                                   wire::CheckTables &checks) const {
  using Given = wire::GivenRange;
  const popc::VertexType &type = typeOf(model_, vertex);
  const State &state = states_[vertex];
  const auto give = [&](std::uint32_t address, std::uint64_t bytes, const std::string &field,
                        std::uint32_t index, std::uint32_t elementBytes, std::uint32_t access) {
    checks.given.push_back({address, static_cast<std::uint32_t>(bytes), names.numberOf(field),
                            index, elementBytes, access});
  };
  give(state.address, state.layout.bytes, "", 0, 1, Given::kRead);
  std::vector<bool> connected(type.fields.size(), false);
  for (const std::uint32_t edge : index_.edges[vertex])
    connected[model_.edges[edge].field] = true;
  for (std::size_t f = 0; f < type.fields.size(); ++f) {
    const Field &field = type.fields[f];
    if (connected[f] || field.direction != FieldDirection::State)
      continue;
    const StateLayout::FieldPart &part = state.layout.fields[f];
    const bool isTable = part.size != 0;
    give(state.address + (isTable ? part.tableOffset : field.offset),
         isTable ? std::uint64_t{part.size} * field.elementBytes : field.bytes, field.name, 0,
         field.elementBytes, Given::kRead | Given::kWritten);
  }
  for (const std::uint32_t i : index_.edges[vertex]) {
    const Edge &edge = model_.edges[i];
    const Field &field = type.fields[edge.field];
    if (edge.elements != 0)
      give(bindings_[i].address, edge.elements * field.elementBytes, field.name, edge.index,
           field.elementBytes,
           field.direction == FieldDirection::Input ? Given::kRead
                                                    : Given::kRead | Given::kWritten);
  }
  checks.givenEnds.push_back(static_cast<std::uint32_t>(checks.given.size()));
}

std::vector<LoweredComputeSet>
ComputeSetLowering::emit(std::vector<wire::Image> &images,
                         const std::vector<std::uint32_t> &functionOf,
                         const CycleEstimate &estimate) const {
  std::vector<LoweredComputeSet> lowered;
  std::vector<NameList> names;
  for (wire::Image &image : images)
    names.emplace_back(image.checks.names);
  for (std::uint32_t set = 0; set < model_.computeSets.size(); ++set) {
    lowered.push_back(emitExchanges(set, images));
    emitVertices(set, images, functionOf, estimate, names);
  }
  return lowered;
}

} // namespace copse::compiler
