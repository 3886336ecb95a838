#include "graph/replicas.hpp"

#include "graph/run_list.hpp"
#include "poplar/exceptions.hpp"

#include <utility>

namespace copse::graph {

namespace {

/// Returns the tiles of the instances of a variable, which is mapped like \p first on replica 0.
TileMap tilesOfInstances(const Variable &first, const ReplicaTiles &tiles) {
  TileMap out(first.elements * tiles.replicas());
  for (const auto &piece : first.tiles.pieces(0, first.elements))
    for (std::uint32_t r = 0; piece.tile != kNoTile && r < tiles.replicas(); ++r)
      out.set(r * first.elements + piece.begin, r * first.elements + piece.end,
              tiles.tileOf(piece.tile, r));
  return out;
}

Variable instancesOf(const Variable &variable, const ReplicaTiles &tiles) {
  Variable out = variable;
  out.shape.insert(out.shape.begin(), tiles.replicas());
  out.elements *= tiles.replicas();
  out.tiles = tilesOfInstances(variable, tiles);
  return out;
}

} // namespace

VariableId addVariable(Model &model, Variable variable, std::uint32_t replication,
                       std::uint32_t mappedAs) {
  variable.replication = replication;
  if (replication != kNotReplicated) {
    const ReplicaTiles &own = model.replications[replication];
    const bool asOther =
        mappedAs != kNotReplicated && model.replications[mappedAs].replicas() == own.replicas();
    Variable instances = instancesOf(variable, asOther ? model.replications[mappedAs] : own);
    instances.replication = kNotReplicated;
    model.variables.push_back(std::move(instances));
    variable.instances = static_cast<VariableId>(model.variables.size() - 1);
  }
  model.variables.push_back(std::move(variable));
  return static_cast<VariableId>(model.variables.size() - 1);
}

std::uint32_t replicationOf(const Model &model, const View &view) {
  if (!model.replications.empty())
    for (const Run &run : view.elementRuns())
      if (model.variables[run.variable].replication != kNotReplicated)
        return model.variables[run.variable].replication;
  return kNotReplicated;
}

std::uint32_t replicasOf(const Model &model, const View &view) {
  if (model.replications.empty())
    return 1;
  std::uint32_t replicas = 1;
  for (const Run &run : view.elementRuns()) {
    const Variable &variable = model.variables[run.variable];
    if (variable.replication == kNotReplicated)
      continue;
    const std::uint32_t here = model.replications[variable.replication].replicas();
    if (replicas != 1 && here != replicas)
      throw poplar::graph_replication_error(
          "a tensor has elements of variable '" + variable.name + "' with " + std::to_string(here) +
          " replicas, and of another one with " + std::to_string(replicas));
    replicas = here;
  }
  return replicas;
}

Run instanceOf(const Model &model, Run run, std::uint32_t replica) {
  const Variable &variable = model.variables[run.variable];
  if (variable.replication != kNotReplicated) {
    run.variable = variable.instances;
    run.begin += replica * variable.elements;
  }
  return run;
}

View instanceOf(const Model &model, const View &view, std::uint32_t replica) {
  RunList list;
  for (const Run &run : view.runs())
    list.add(instanceOf(model, run, replica));
  return View::ofRuns(list.take(), view.shape());
}

View allInstances(const Model &model, const View &view, std::uint32_t replicas) {
  std::vector<View> rows;
  for (std::uint32_t r = 0; r < replicas; ++r)
    rows.push_back(instanceOf(model, view, r).insertDimension(0));
  return View::concat(rows, 0);
}

void mapElements(Model &model, VariableId id, std::uint64_t begin, std::uint64_t end,
                 std::uint32_t tile) {
  Variable &variable = model.variables[id];
  if (variable.replication == kNotReplicated) {
    variable.tiles.set(begin, end, tile);
    return;
  }
  const ReplicaTiles &tiles = model.replications[variable.replication];
  variable.tiles.set(begin, end, tiles.tileOf(tile, 0));
  for (std::uint32_t r = 0; r < tiles.replicas(); ++r)
    model.variables[variable.instances].tiles.set(
        r * variable.elements + begin, r * variable.elements + end, tiles.tileOf(tile, r));
}

void addInitialValue(Model &model, VariableId id, InitialValue value) {
  Variable &variable = model.variables[id];
  if (variable.replication != kNotReplicated) {
    InitialValue instance = value;
    for (std::uint32_t r = 0; r < model.replications[variable.replication].replicas(); ++r) {
      model.variables[variable.instances].initial.push_back(instance);
      instance.begin += variable.elements;
    }
  }
  variable.initial.push_back(std::move(value));
}

} // namespace copse::graph
