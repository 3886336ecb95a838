#include "map_vertices.hpp"

#include "common_codelets.hpp"
#include "tile_work/codelet_groups.hpp"
#include "tile_work/tile_shares.hpp"

#include <sstream>

namespace copse::element_expr {
namespace {

using poplar::Graph;
using poplar::Tensor;

std::vector<poplar::Type> typesOf(const std::vector<Tensor> &tensors) {
  std::vector<poplar::Type> types;
  for (const Tensor &t : tensors)
    types.push_back(t.elementType());
  return types;
}

} // namespace

MapCodelet Mapping::codelet(bool inPlace) const {
  MapCodelet codelet = mapCodelet(expression, operands.types, operands.accesses, inPlace);
  codelet.group = groupOf(expression);
  return codelet;
}

Mapping::Mapping(const popops::expr::Expr &expr, const std::vector<Tensor> &tensors,
                 const std::optional<std::vector<std::size_t>> &shape)
    : expression(withTypes(expr, typesOf(tensors))),
      operands(mapOperands(expression, tensors, shape)) {}

void addCodelets(Graph &graph, std::vector<MapCodelet> codelets) {
  std::erase_if(codelets, [&](const MapCodelet &c) {
    if (!c.group.empty() && !graph.hasCodelet(c.name))
      tile_work::addCodeletGroup(graph, "popops", c.group, c.name);
    return graph.hasCodelet(c.name);
  });
  if (codelets.empty())
    return;
  std::stringstream source(sourceOf(codelets));
  graph.addCodelets(source, "-O3");
}

void addVertices(Graph &graph, const Mapping &mapping, const MapCodelet &codelet, bool inPlace,
                 const Tensor &out, poplar::ComputeSet cs) {
  const MapOperands &operands = mapping.operands;
  std::vector<Tensor> byElement = {out};
  std::vector<std::string> fields = {"out"};
  std::vector<std::pair<std::string, Tensor>> forAll;
  for (std::size_t i = 0; i != operands.views.size(); ++i) {
    const std::string field = "in" + std::to_string(i + 1);
    if (operands.accesses[i] == Access::Single) {
      forAll.emplace_back(field, operands.views[i]);
    } else if (operands.accesses[i] == Access::Elements && !(inPlace && i == 0)) {
      byElement.push_back(operands.views[i]);
      fields.push_back(field);
    }
  }
  // Graphs have thousands of these vertices: nothing is made for each that all could share.
  const poplar::Target &target = graph.getTarget();
  std::size_t estimated = 0;
  poplar::VertexPerfEstimate estimate;
  for (const tile_work::TileShare &share : tile_work::sharesByTile(graph, byElement)) {
    const poplar::VertexRef v = graph.addVertex(cs, codelet.name);
    for (const auto &[field, tensor] : forAll)
      graph.connect(v[field], tensor);
    for (std::size_t i = 0; i != fields.size(); ++i)
      graph.connect(v[fields[i]], share.views[i]);
    graph.setTileMapping(v, share.tile);
    const std::size_t elements = share.views.front().numElements();
    if (elements != estimated) {
      estimated = elements;
      estimate = codelet.estimate(target, elements);
    }
    graph.setPerfEstimate(v, estimate.cycles, estimate.flops);
  }
}

} // namespace copse::element_expr
