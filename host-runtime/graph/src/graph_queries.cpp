#include "connect.hpp"
#include "graph_impl.hpp"

#include "graph/estimates.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>

// Queries about what was added to a graph.
namespace poplar {
namespace {

using copse::graph::FieldTarget;
using copse::graph::Model;
using copse::popc::FieldKind;

/// Returns the number of elements of one vector: entry \p index of the field.
std::size_t vectorSize(const Model &model, const FieldTarget &field, std::uint32_t index) {
  const auto isIt = [&](const auto &entry) {
    return entry.vertex == field.vertex && entry.field == field.field && entry.index == index;
  };
  std::size_t size = 0;
  for (const auto &value : model.fieldValues)
    size = isIt(value) ? value.elements : size;
  for (const auto &edge : model.edges)
    size = isIt(edge) ? edge.elements : size;
  return size;
}

/// Returns the size that setFieldSize or a list of tensors has fixed.
std::size_t fixedSize(const Model &model, const FieldTarget &field) {
  std::size_t size = 0;
  for (const auto &fixed : model.fieldSizes)
    if (fixed.vertex == field.vertex && fixed.field == field.field)
      size = fixed.size;
  return size;
}

} // namespace

std::size_t Graph::getNumVertices() const { return impl().model().vertices.size(); }

std::size_t Graph::getFieldSize(FieldRef field) const {
  const Model &model = impl().model();
  const FieldTarget target = copse::graph::fieldTarget(model, field);
  const auto &declared = target.get();
  if (declared.kind == FieldKind::Scalar)
    return declared.arrayLength == 0 ? 1 : declared.arrayLength;
  if (target.indexed)
    return vectorSize(model, target, target.index);
  const std::size_t fixed = fixedSize(model, target);
  return declared.kind == FieldKind::Vector && fixed == 0 ? vectorSize(model, target, 0) : fixed;
}

VertexPerfEstimate Graph::getPerfEstimate(VertexRef v) const {
  const Model &model = impl().model();
  if (v.getId() >= model.vertices.size())
    throw poplar_error("getPerfEstimate: the graph has no such vertex");
  const auto estimate = copse::graph::Estimates(*this).of(v.getId());
  if (!estimate)
    throw missing_perf_estimate("getPerfEstimate: there is no estimate for vertices of type '" +
                                model.vertexTypes[model.vertices[v.getId()].type].name +
                                "'; call setPerfEstimate or registerPerfEstimator");
  return {estimate->cycles, estimate->flops};
}

Graph::TileToTensorMapping Graph::getVariableTileMapping(VariableRef v) const {
  return getTileMapping(getVariable(v));
}

Graph::TileToTensorMapping Graph::getVariableTileMapping(const Tensor &t) const {
  const std::vector<VariableInterval> intervals = t.getVarRegions();
  const auto isOther = [&](const VariableInterval &i) { return i.var != intervals.front().var; };
  if (intervals.empty() || std::any_of(intervals.begin(), intervals.end(), isOther))
    throw poplar_error("getVariableTileMapping of " + t.getDebugStr() +
                       ": the tensor is no view of " +
                       (intervals.empty() ? "a variable" : "one variable alone"));
  return getVariableTileMapping(intervals.front().var);
}

unsigned Graph::convertPhysicalTileToVirtualTile(unsigned tile) const {
  const auto found = impl().tiles.fromPhysical(tile);
  if (found == copse::graph::TileSpace::kOutside)
    throw poplar_error("convertPhysicalTileToVirtualTile: tile " + std::to_string(tile) +
                       " is none of the graph's " + std::to_string(impl().tiles.tiles()));
  return found;
}

unsigned Graph::convertPhysicalTileToVirtualTile(unsigned ipu, unsigned tile) const {
  return convertPhysicalTileToVirtualTile(ipu * impl().model().tilesPerIpu + tile);
}

} // namespace poplar
