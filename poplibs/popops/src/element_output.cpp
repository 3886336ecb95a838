#include "popops/ElementWiseUtil.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/exceptions.hpp"

#include <algorithm>
#include <tuple>

namespace popops {
namespace {

/// How well a tensor is spread over tiles: the smaller, the better.
using Spread = std::tuple<std::size_t, long, std::size_t>;

Spread spreadOf(const poplar::Graph &graph, const poplar::Tensor &t) {
  std::size_t fullest = 0, regions = 0;
  long used = 0;
  for (const std::vector<poplar::Interval> &tile : graph.getTileMapping(t)) {
    std::size_t elements = 0;
    for (const poplar::Interval &region : tile)
      elements += region.size();
    fullest = std::max(fullest, elements);
    regions += tile.size();
    used += tile.empty() ? 0 : 1;
  }
  return {fullest, -used, regions};
}

} // namespace

poplar::Tensor createOutputForElementWiseOp(poplar::Graph &graph,
                                            const std::vector<poplar::Tensor> &inputs,
                                            const poplar::Type &outputType,
                                            const poplar::DebugContext &debugContext) {
  if (inputs.empty())
    throw poputil::poplibs_error("createOutputForElementWiseOp: there are no inputs");
  const poplar::Tensor *best = nullptr;
  Spread spread;
  std::size_t candidates = 0;
  for (const poplar::Tensor &input : inputs) {
    if (input.shape() != inputs.front().shape())
      throw poputil::poplibs_error("createOutputForElementWiseOp: inputs of shapes " +
                                   inputs.front().shapeToString() + " and " +
                                   input.shapeToString());
    candidates += input.isParallelWriteable() ? 1 : 0;
  }
  for (const poplar::Tensor &input : inputs) {
    if (!input.isParallelWriteable())
      continue;
    const Spread here = candidates == 1 ? Spread{} : spreadOf(graph, input); // nothing to compare
    if (best == nullptr || here < spread) {
      best = &input;
      spread = here;
    }
  }
  if (best != nullptr)
    return graph.clone(outputType, *best, debugContext);
  const poplar::Tensor out = graph.addVariable(outputType, inputs.front().shape(), debugContext);
  poputil::mapTensorLinearly(graph, out);
  return out;
}

} // namespace popops
