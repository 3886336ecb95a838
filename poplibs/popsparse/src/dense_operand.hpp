#pragma once

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <vector>

namespace popsparse {

/// \throws poputil::poplibs_error if \p t does not have the shape and the type
inline void checkDense(const char *function, const poplar::Tensor &t,
                       const std::vector<std::size_t> &shape, const poplar::Type &type) {
  if (t.shape() == shape && t.elementType() == type)
    return;
  std::string expected;
  for (const std::size_t size : shape)
    expected += (expected.empty() ? "{" : ",") + std::to_string(size);
  throw poputil::poplibs_error(std::string(function) + ": a dense operand of shape " +
                               t.shapeToString() + " and type " +
                               t.elementType().toString().cloneAsString() + "; it must have " +
                               expected + "} and " + type.toString().cloneAsString());
}

inline poplar::Tensor createDense(poplar::Graph &graph, const poplar::Type &type,
                                  const std::vector<std::size_t> &shape,
                                  const poplar::DebugContext &debugContext) {
  const poplar::Tensor t = graph.addVariable(type, shape, debugContext);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

} // namespace popsparse
