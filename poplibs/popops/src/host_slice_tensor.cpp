#include "popops/HostSliceTensor.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/exceptions.hpp"

namespace popops {

poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape, bool,
                                            const poplar::DebugContext &debugContext) {
  const poplar::Tensor t = graph.addVariable(type, shape, debugContext);
  poputil::mapTensorLinearly(graph, t, 1, graph.getTarget().getVectorWidth(type));
  return t;
}

IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                           const std::vector<std::size_t> &shape, const bool isRead,
                                           const poplar::DebugContext &debugContext) {
  if (shape.size() != 2)
    throw poputil::poplibs_error("createHostSliceableTensor: a shape of rank " +
                                 std::to_string(shape.size()) +
                                 "; it must be {rows, elements of a row}");
  const poplar::Tensor indices =
      graph.addVariable(poplar::UNSIGNED_INT, {shape.front()}, {debugContext, "indices"});
  graph.setTileMapping(indices, 0);
  return {indices, createHostTransferableTensor(graph, type, shape, isRead, debugContext)};
}

} // namespace popops
