// Clones on other IPUs and in other graphs.
#include "poputil/TileMapping.hpp"
#include "poputil/exceptions.hpp"

using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using poplar::TensorCloneMethod;

namespace poputil {
namespace {

/// Where \p tile's elements go.
using TileChange = std::function<unsigned(unsigned tile)>;

Graph::TileToTensorMapping moved(const Graph::TileToTensorMapping &mapping, unsigned tiles,
                                 const TileChange &change) {
  Graph::TileToTensorMapping result(tiles);
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    std::vector<Interval> &to = result[mapping[tile].empty() ? 0 : change(tile)];
    to.insert(to.end(), mapping[tile].begin(), mapping[tile].end());
  }
  return result;
}

void checkIpu(const Graph &graph, unsigned ipu) {
  if (ipu >= graph.getTarget().getNumIPUs())
    throw poplibs_error("there is no IPU " + std::to_string(ipu) + " in a graph of " +
                        std::to_string(graph.getTarget().getNumIPUs()));
}

} // namespace

Tensor cloneToIpu(Graph &graph, const Tensor &t, unsigned dstIPU, const DebugContext &debugContext,
                  TensorCloneMethod method) {
  checkIpu(graph, dstIPU);
  const unsigned perIpu = graph.getTarget().getTilesPerIPU();
  const Tensor clone = graph.clone(t, debugContext, method);
  // Elements that stand at several positions of the clone are on one tile only.
  graph.setTileMapping(clone,
                       moved(graph.getTileMapping(t), graph.getTarget().getNumTiles(),
                             [&](unsigned tile) { return dstIPU * perIpu + tile % perIpu; }));
  return clone;
}

Tensor cloneToGraph(Graph &srcGraph, Graph &dstGraph, const Tensor &t,
                    const DebugContext &debugContext, TensorCloneMethod) {
  const unsigned tiles = dstGraph.getTarget().getNumTiles();
  if (srcGraph.getReplicationFactor() != dstGraph.getReplicationFactor())
    throw poplibs_error("cloneToGraph: the graphs have replication factors " +
                        std::to_string(srcGraph.getReplicationFactor()) + " and " +
                        std::to_string(dstGraph.getReplicationFactor()));
  if (srcGraph.getTarget().getNumTiles() > tiles)
    throw poplibs_error("cloneToGraph: a graph of " + std::to_string(tiles) +
                        " tiles has no room for the mapping of one of " +
                        std::to_string(srcGraph.getTarget().getNumTiles()));
  const Tensor clone = dstGraph.addVariable(t.elementType(), t.shape(), debugContext);
  dstGraph.setTileMapping(
      clone, moved(srcGraph.getTileMapping(t), tiles, [](unsigned tile) { return tile; }));
  return clone;
}

Tensor copyToIpu(Graph &masterGraph, const Tensor &t, poplar::program::Sequence &prog,
                 unsigned dstIPU, const DebugContext &debugContext, TensorCloneMethod method) {
  Tensor from, to;
  const Tensor clone = createIpuCopy(masterGraph, t, dstIPU, from, to, debugContext, method);
  prog.add(poplar::program::Copy(from, to, false, debugContext));
  return clone;
}

Tensor createIpuCopy(Graph &graph, const Tensor &t, unsigned dstIpu, Tensor &copySrc,
                     Tensor &copyDst, const DebugContext &debugContext, TensorCloneMethod method) {
  const Tensor clone = cloneToIpu(graph, t, dstIpu, debugContext, method);
  copySrc = t.flatten();
  copyDst = clone.flatten();
  graph.reorderToSimplify(&copyDst, {&copySrc}, false);
  if (!copyDst.containsAliases())
    return clone;
  std::vector<Interval> once;
  for (const std::vector<Interval> &regions :
       graph.getSortedContiguousRegions(copyDst, {Interval(0, copyDst.numElements())}, true))
    once.insert(once.end(), regions.begin(), regions.end());
  copySrc = poplar::concat(copySrc.slices(once));
  copyDst = poplar::concat(copyDst.slices(once));
  return clone;
}

} // namespace poputil
