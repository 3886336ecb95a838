#include "poplin/MeshGrid.hpp"

#include <poplar/exceptions.hpp>

namespace poplin {

using poplar::Tensor;

Tensor linspace(poplar::Graph &graph, const poplar::Type &type, float left, float right,
                std::size_t count, const poplar::DebugContext &debugContext) {
  if (type != poplar::FLOAT && type != poplar::HALF)
    throw poplar::poplar_error("linspace: the type must be FLOAT or HALF, not " + type.toString());
  std::vector<float> values(count, left);
  for (std::size_t i = 1; i < count; ++i)
    values[i] = i + 1 == count ? right
                               : static_cast<float>(left + (static_cast<double>(right) - left) *
                                                               static_cast<double>(i) /
                                                               static_cast<double>(count - 1));
  const Tensor t = graph.addConstant(type, {count}, values, {debugContext, "linspace"});
  graph.setTileMapping(t, 0);
  return t;
}

std::vector<Tensor> meshgrid2d(poplar::Graph &, Tensor x, Tensor y) {
  if (x.rank() != 1 || y.rank() != 1 || x.elementType() != y.elementType())
    throw poplar::poplar_error("meshgrid2d: x and y must be vectors of one type, not " +
                               x.elementType().toString() + " of shape " + x.shapeToString() +
                               " and " + y.elementType().toString() + " of shape " +
                               y.shapeToString());
  return {x.expand({0}).broadcast(static_cast<unsigned>(y.dim(0)), 0),
          y.expand({1}).broadcast(static_cast<unsigned>(x.dim(0)), 1)};
}

} // namespace poplin
