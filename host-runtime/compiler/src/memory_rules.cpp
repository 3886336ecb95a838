#include "compiler/memory_rules.hpp"

#include "popc/arch.hpp"

#include <algorithm>
#include <set>

namespace copse::compiler {

using popc::Field;
using popc::FieldDirection;
using popc::FieldsApart;

namespace {

std::uint64_t keyOf(graph::VariableId variable, GlobalTile tile) {
  return std::uint64_t{variable} << 32 | tile;
}

/// Loops that load the operands of the next iteration while they store the results of this one read
/// past the end of their data: PopLibs' casts by 8 bytes, and at most by two loads of 128 bits. The
/// bytes that they read too far must not lie in the memory elements of the results either, because
/// tile code would fault.
constexpr std::uint64_t kReadAhead = 32;

bool isInterleavedEdge(const Field &field) {
  return field.interleaved && field.direction != FieldDirection::State;
}

} // namespace

MemoryRules::MemoryRules(const graph::Model &model, const VertexIndex &index,
                         const std::vector<graph::VariableId> &homes)
    : model_(model), homes_(homes), map_(isa::memoryMapOf(model.arch)) {
  readTypes();
  if (std::ranges::none_of(types_, &TypeRules::any))
    return;
  concerned_.resize(model.variables.size(), false);
  index.visitVertices([&](std::uint32_t vertex) {
    if (types_[model.vertices[vertex].type].any && model.vertices[vertex].tile != graph::kNoTile)
      readVertex(index, vertex);
  });
}

void MemoryRules::readTypes() {
  types_.resize(model_.vertexTypes.size());
  if (model_.arch == popc::Architecture::Cpu)
    return;
  for (std::size_t t = 0; t < types_.size(); ++t) {
    const popc::VertexType &type = model_.vertexTypes[t];
    types_[t].apart = popc::fieldsApart(type);
    types_[t].any = !types_[t].apart.empty() || std::ranges::any_of(type.fields, isInterleavedEdge);
    types_[t].binding = type.external;
  }
}

bool MemoryRules::mentions(const TypeRules &rules, std::uint16_t field) const {
  return std::ranges::any_of(rules.apart, [field](const FieldsApart &apart) {
    return apart.a == field || apart.b == field;
  });
}

/// Returns the block of an edge that is usable in place: all elements are on the vertex's tile, in
/// order.
std::optional<MemoryRules::Block> MemoryRules::blockOf(const graph::Edge &edge) {
  if (edge.runs.count != 1 || edge.elements == 0)
    return std::nullopt;
  const graph::Run &run = model_.runs[edge.runs.first];
  const GlobalTile tile = model_.vertices[edge.vertex].tile;
  if (run.stride != 1 && run.count != 1)
    return std::nullopt;
  for (const auto &piece :
       model_.variables[run.variable].tiles.pieces(run.begin, run.begin + run.count))
    if (piece.tile != tile)
      return std::nullopt;
  const auto next = static_cast<Block>(blocks_.size());
  const graph::VariableId home = homes_[run.variable];
  const auto [entry, isNew] = blockAt_.try_emplace(keyOf(home, tile), next);
  if (isNew)
    blocks_.emplace_back();
  concerned_[home] = true;
  return entry->second;
}

void MemoryRules::readVertex(const VertexIndex &index, std::uint32_t vertex) {
  const std::uint32_t t = model_.vertices[vertex].type;
  const TypeRules &rules = types_[t];
  std::set<std::pair<std::uint16_t, Block>> found; // rows of one variable share a block
  for (const std::uint32_t i : index.edges[vertex]) {
    const graph::Edge &edge = model_.edges[i];
    const bool isInterleaved = interleaved(t, edge.field);
    if (!isInterleaved && !mentions(rules, edge.field))
      continue;
    const auto block = blockOf(edge);
    if (!block)
      continue;
    blocks_[*block].interleaved |= isInterleaved;
    blocks_[*block].binding |= rules.binding;
    found.emplace(edge.field, *block);
  }
  for (const FieldsApart &apart : rules.apart)
    for (const auto &[fieldA, a] : found)
      for (const auto &[fieldB, b] : found)
        if (fieldA == apart.a && fieldB == apart.b && a != b)
          keepApart(a, b, apart.regions);
}

void MemoryRules::keepApart(Block a, Block b, bool regions) {
  const std::uint64_t low = std::min(a, b), high = std::max(a, b);
  if (!known_.insert((low << 32 | high) << 1 | (regions ? 1 : 0)).second)
    return;
  blocks_[a].apart.push_back({b, regions});
  blocks_[b].apart.push_back({a, regions});
}

std::optional<MemoryRules::Block> MemoryRules::find(graph::VariableId variable,
                                                    GlobalTile tile) const {
  const auto found = blockAt_.find(keyOf(variable, tile));
  return found == blockAt_.end() ? std::nullopt : std::optional(found->second);
}

Bounds MemoryRules::bounds(Block block) const {
  const BlockRules &rules = blocks_[block];
  Bounds bounds;
  bounds.lowest = rules.interleaved ? map_.interleaved : 0;
  bounds.binding = rules.binding;
  for (const Rule &rule : rules.apart)
    if (const auto &where = blocks_[rule.other].where)
      bounds.taken.push_back(around(*where, rule.regions));
  return bounds;
}

std::vector<FieldsApart> MemoryRules::apartFrom(std::uint32_t vertexType,
                                                std::uint16_t field) const {
  std::vector<FieldsApart> all;
  for (const FieldsApart &apart : types_[vertexType].apart)
    if (apart.a == field)
      all.push_back(apart);
    else if (apart.b == field)
      all.push_back({apart.b, apart.a, apart.regions});
  return all;
}

bool MemoryRules::concern(std::uint32_t vertexType, std::uint16_t field) const {
  const TypeRules &rules = types_[vertexType];
  return rules.any && (interleaved(vertexType, field) || mentions(rules, field));
}

std::uint32_t MemoryRules::lowest(std::uint32_t vertexType, std::uint16_t field) const {
  return interleaved(vertexType, field) ? map_.interleaved : 0;
}

bool MemoryRules::interleaved(std::uint32_t vertexType, std::uint16_t field) const {
  return isInterleavedEdge(model_.vertexTypes[vertexType].fields[field]);
}

AddressRange MemoryRules::around(AddressRange range, bool regions) const {
  constexpr std::uint64_t kPair = 2 * isa::kElementBytes;
  const auto down = [&](std::uint64_t address) -> std::uint64_t {
    if (address >= map_.interleaved)
      return regions ? map_.interleaved : address / kPair * kPair;
    return regions ? 0 : address / isa::kElementBytes * isa::kElementBytes;
  };
  const auto up = [&](std::uint64_t last) -> std::uint64_t {
    if (last >= map_.interleaved)
      return regions ? UINT32_MAX : (last / kPair + 1) * kPair;
    return regions ? map_.interleaved : (last / isa::kElementBytes + 1) * isa::kElementBytes;
  };
  const std::uint64_t begin = down(range.begin);
  return {begin - std::min(begin, kReadAhead), up(range.end - 1 + kReadAhead)};
}

} // namespace copse::compiler
