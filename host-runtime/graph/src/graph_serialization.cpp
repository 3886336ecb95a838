#include "document_writer.hpp"
#include "graph_impl.hpp"
#include "program_outline.hpp"

#include "graph/access.hpp"
#include "graph/serialization.hpp"
#include "graph/state.hpp"
#include "graph/types.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/exceptions.hpp"

#include <nlohmann/json.hpp>

namespace poplar {

using copse::graph::Access;
using copse::graph::Model;
using copse::graph::TensorState;
using nlohmann::json;

namespace {

json tileOf(std::uint32_t tile) { return tile == copse::graph::kNoTile ? json() : json(tile); }

json entryOf(const copse::graph::Variable &variable) {
  json pieces = json::array();
  for (const auto &piece : variable.tiles.pieces(0, variable.elements))
    pieces.push_back({piece.begin, piece.end, tileOf(piece.tile)});
  return {{"name", variable.name},
          {"type", copse::graph::serializedName(variable.type)},
          {"shape", variable.shape},
          {"constant", variable.constant},
          {"tiles", std::move(pieces)}};
}

json entryOf(const Model &model, const copse::graph::Vertex &vertex) {
  return {{"type", model.vertexTypes[vertex.type].name},
          {"computeSet", vertex.computeSet},
          {"tile", tileOf(vertex.tile)}};
}

json entryOf(const Model &model, const copse::graph::Edge &edge) {
  const auto &type = model.vertexTypes[model.vertices[edge.vertex].type];
  const copse::graph::Run *runs = model.runs.data() + edge.runs.first;
  return {{"vertex", edge.vertex},
          {"field", type.fields[edge.field].name},
          {"index", edge.index},
          {"runs", copse::graph::serializedRuns({runs, edge.runs.count})}};
}

} // namespace

void Graph::serialize(std::ostream &out, SerializationFormat format) const {
  serialize(out, ArrayRef<program::Program>(), format);
}

void Graph::serialize(std::ostream &out, ArrayRef<program::Program> programs,
                      SerializationFormat format) const {
  const Model &model = impl().model();
  copse::graph::DocumentWriter document(out, format, 9);
  document.member("format", "copse graph 1");
  document.member("ipus", model.ipus);
  document.member("tilesPerIpu", model.tilesPerIpu);
  document.member("replicas", model.replicas);
  document.list("variables", model.variables.size(),
                [&](std::size_t i) { return entryOf(model.variables[i]); });
  document.list("computeSets", model.computeSets.size(),
                [&](std::size_t i) { return json(model.computeSets[i].name); });
  document.list("vertices", model.vertices.size(),
                [&](std::size_t i) { return entryOf(model, model.vertices[i]); });
  document.list("edges", model.edges.size(),
                [&](std::size_t i) { return entryOf(model, model.edges[i]); });
  document.list("programs", programs.size(), [&](std::size_t i) {
    return json(copse::graph::outlineOf(model, *copse::graph::nodeOf(programs[i])));
  });
  document.finish();
}

void Graph::serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors,
                             SerializationFormat format) const {
  std::vector<copse::graph::TypedView> views;
  for (const Tensor &tensor : tensors) {
    const TensorState &state = Access::state(tensor, "Graph::serializeTensors");
    if (state.graph != impl().state) {
      throw poplar_error("Graph::serializeTensors: tensor " + std::to_string(views.size()) +
                         " belongs to another graph");
    }
    views.push_back(state.value);
  }
  copse::graph::write(copse::graph::serializedTensors(impl().model(), views), format, out);
}

std::vector<Tensor> Graph::deserializeTensors(std::istream &in, SerializationFormat format) {
  const auto bundle = copse::graph::readTensors(in, format);
  // Everything has been checked, so the rest cannot fail half-way.
  std::vector<copse::graph::VariableId> ids;
  for (const auto &variable : bundle.variables) {
    const Tensor t = addVariable(copse::graph::poplarTypeOf(variable.type),
                                 {static_cast<std::size_t>(variable.elements)}, variable.name);
    ids.push_back(Access::state(t, "Graph::deserializeTensors").value.view.at(0).variable);
  }
  std::vector<Tensor> tensors;
  for (const auto &tensor : bundle.tensors) {
    std::vector<copse::graph::Run> runs = tensor.runs;
    for (auto &run : runs) {
      run.variable = ids[run.variable];
    }
    tensors.push_back(Access::tensor(
        impl().state, {tensor.type, copse::graph::View::ofRuns(std::move(runs), tensor.shape)}));
  }
  return tensors;
}

} // namespace poplar
