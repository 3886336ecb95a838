#include "accumulate.hpp"
#include "poplin/Convolution.hpp"

namespace poplin {
namespace {

using poplar::Graph;
using poplar::Tensor;

template <typename Scale>
void update(Graph &graph, const Tensor &zDeltas, const Tensor &weights, const Tensor &activations,
            const ConvParams &params, const Scale &scale, poplar::program::Sequence &prog,
            const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
            PlanningCache *cache) {
  const Tensor deltas = calculateWeightDeltas(graph, zDeltas, activations, params, prog,
                                              debugContext, options, cache);
  addScaled("convolutionWeightUpdate", graph, weights, scale, deltas, prog, debugContext);
}

} // namespace

void convolutionWeightUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &weights,
                             const Tensor &activations, ConvParams params, const Tensor &scale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext,
                             const poplar::OptionFlags &options, PlanningCache *cache) {
  update(graph, zDeltas, weights, activations, params, scale, prog, debugContext, options, cache);
}

void convolutionWeightUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &weights,
                             const Tensor &activations, ConvParams params, float scale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext,
                             const poplar::OptionFlags &options, PlanningCache *cache) {
  update(graph, zDeltas, weights, activations, params, scale, prog, debugContext, options, cache);
}

} // namespace poplin
