#include "graph/register_variables.hpp"

#include "graph/access.hpp"
#include "graph/replicas.hpp"

#include <cstring>
#include <utility>

namespace copse::graph {

namespace {

Variable registersOf(std::string name, std::uint32_t tiles, std::uint32_t words,
                     const std::vector<std::uint32_t> &initial) {
  Variable variable;
  variable.name = std::move(name);
  variable.type = ElementType::UnsignedInt;
  variable.shape = {tiles, words};
  variable.elements = std::uint64_t{tiles} * words;
  variable.tiles = TileMap(variable.elements);
  for (std::uint32_t tile = 0; tile < tiles; ++tile)
    variable.tiles.set(std::uint64_t{tile} * words, std::uint64_t{tile + 1} * words, tile);
  std::vector<std::byte> bytes(initial.size() * sizeof(std::uint32_t));
  std::memcpy(bytes.data(), initial.data(), bytes.size());
  variable.initial.push_back({0, variable.elements, 1, std::move(bytes)});
  return variable;
}

/// Maps element or row t of \p values to tile t.
void mapByTile(poplar::Graph &graph, const poplar::Tensor &values) {
  for (unsigned tile = 0; tile < values.dim(0); ++tile)
    graph.setTileMapping(values[tile], tile);
}

} // namespace

RegisterVariables::RegisterVariables(poplar::Graph &graph, std::string name,
                                     std::uint32_t wordsPerTile,
                                     const std::vector<std::uint32_t> &initial)
    : graph_(graph), state_(Access::state(graph)), replication_(Access::replication(graph)) {
  const auto known = state_->model.tileRegisters.find(name);
  if (known != state_->model.tileRegisters.end()) {
    variable_ = known->second;
    return;
  }
  variable_ = addVariable(state_->model, registersOf(name, allTiles(graph), wordsPerTile, initial),
                          kNotReplicated);
  state_->model.tileRegisters.emplace(std::move(name), variable_);
}

std::uint32_t RegisterVariables::allTiles(const poplar::Graph &graph) {
  const Model &model = Access::state(graph)->model;
  return model.ipus * model.tilesPerIpu;
}

poplar::Tensor RegisterVariables::tensor(View view) const {
  return Access::tensor(state_, {ElementType::UnsignedInt, std::move(view)});
}

/// Returns the registers of the graph's tiles; if the graph is replicated, of one replica after
/// another.
poplar::Tensor RegisterVariables::rows() const {
  const Model &model = state_->model;
  const bool replicated = replication_ != kNotReplicated;
  const std::uint32_t replicas = replicated ? model.replications[replication_].replicas() : 1;
  const poplar::Tensor all = tensor(View::ofVariable(variable_, model.variables[variable_].shape));
  std::vector<poplar::Tensor> rows;
  for (std::uint32_t r = 0; r < replicas; ++r)
    for (unsigned tile = 0; tile < graph_.getTarget().getNumTiles(); ++tile) {
      const std::uint32_t first = graph_.convertVirtualTileToPhysicalTile(tile);
      const std::uint32_t physical =
          replicated ? model.replications[replication_].tileOf(first, r) : first;
      rows.push_back(all.slice(physical, physical + 1, 0));
    }
  return poplar::concat(rows, 0);
}

/// Returns \p t of every replica, one after another; \p t repeatedly if it is not replicated.
poplar::Tensor RegisterVariables::onAllReplicas(const poplar::Tensor &t) const {
  if (replication_ == kNotReplicated)
    return t.flatten();
  const std::uint32_t replicas = state_->model.replications[replication_].replicas();
  return tensor(allInstances(state_->model, typedView(t).view, replicas)).flatten();
}

poplar::Tensor RegisterVariables::read(poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext) {
  const unsigned tiles = graph_.getTarget().getNumTiles();
  const std::size_t words = state_->model.variables[variable_].shape[1];
  const poplar::Tensor values =
      graph_.addVariable(poplar::UNSIGNED_INT, {tiles, words}, debugContext);
  mapByTile(graph_, values);
  prog.add(poplar::program::Copy(rows().flatten(), onAllReplicas(values), false, debugContext));
  return values;
}

void RegisterVariables::write(poplar::program::Sequence &prog, const poplar::Tensor &values,
                              const poplar::DebugContext &debugContext) {
  prog.add(poplar::program::Copy(onAllReplicas(values), rows().flatten(), false, debugContext));
}

void RegisterVariables::fill(poplar::program::Sequence &prog, std::uint32_t word,
                             std::uint32_t value, const poplar::DebugContext &debugContext) {
  // Each tile has the value itself: a chip sets a register by an instruction, without an exchange.
  const unsigned tiles = graph_.getTarget().getNumTiles();
  const poplar::Tensor values =
      graph_.addConstant(poplar::UNSIGNED_INT, {tiles}, value, debugContext);
  mapByTile(graph_, values);
  const poplar::Tensor column = rows().slice(word, word + 1, 1).flatten();
  prog.add(poplar::program::Copy(onAllReplicas(values), column, false, debugContext));
}

} // namespace copse::graph
