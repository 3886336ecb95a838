#include "poplin/Convolution.hpp"

#include "codelets.hpp"
#include "convolve.hpp"
#include "operands.hpp"
#include "options.hpp"
#include "planning_cache.hpp"
#include "poplin/ConvUtil.hpp"
#include "shape_text.hpp"

#include <functional>
#include <numeric>
#include <ostream>
#include <popops/Cast.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>
#include <string>

namespace poplin {
namespace {

using poplar::Graph;
using poplar::Tensor;
using Shape = std::vector<std::size_t>;

void check(const char *function, const char *what, const Tensor &t, const Shape &shape,
           const poplar::Type &type) {
  if (t.shape() != shape)
    throw poputil::poplibs_error(std::string(function) + ": the " + what + " " + textOf(t.shape()) +
                                 " must be " + textOf(shape) + " by the parameters");
  if (t.elementType() != type)
    throw poputil::poplibs_error(std::string(function) + ": the " + what + " of type " +
                                 t.elementType().toString() + " must be " + type.toString() +
                                 " by the parameters");
}

Shape operator+(Shape a, const Shape &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Shape inputShape(const ConvParams &p) {
  return Shape{p.batchSize, p.getNumInputChans()} + p.inputFieldShape;
}
Shape weightsShape(const ConvParams &p) {
  return Shape{p.numConvGroups, p.outputChannelsPerConvGroup, p.inputChannelsPerConvGroup} +
         p.kernelShape;
}

/// Weights with the channels of each group swapped, reversed in space: a view.
Tensor transposedAndFlipped(const Tensor &weights) {
  Tensor t = weights.dimShufflePartial({1, 2}, {2, 1});
  for (unsigned d = 3; d != t.rank(); ++d)
    t = t.reverse(d);
  return t;
}

struct Planned {
  ConvParams params;
  plan::Demands demands;
  plan::Plan plan;
};

Planned planned(const poplar::Target &target, const ConvParams &params,
                const poplar::OptionFlags &options, PlanningCache *cache) {
  Planned p{
      params.canonicalize(), convolutionDemands(options, params.inputType, params.outputType), {}};
  p.plan = planFor(p.params, target, p.demands, cache);
  return p;
}

/// Returns how many pairs of outputs and kernel elements, in all dimensions, read data.
std::uint64_t meetings(const ConvParams &p) {
  std::uint64_t n = 1;
  for (unsigned d = 0; d != p.getNumFieldDims(); ++d) {
    std::uint64_t inDim = 0;
    for (unsigned o = 0; o != p.getOutputSize(d); ++o)
      for (unsigned k = 0; k != p.kernelShape[d]; ++k)
        inDim += getInputIndex(d, o, k, p) != ~0U;
    n *= inDim;
  }
  return n;
}

double perfectCycles(const Graph &graph, const ConvParams &p, std::uint64_t flops) {
  const poplar::Target &target = graph.getTarget();
  const double units = std::max(target.getNumConvUnits(p.inputType, p.outputType), 1U);
  const double perUnit = p.inputType == poplar::FLOAT
                             ? 1
                             : std::max(target.getConvUnitInputLoadElemsPerCycle(p.inputType), 1U);
  return static_cast<double>(flops) / 2 / (units * perUnit * target.getNumTiles());
}

} // namespace

Tensor createWeights(Graph &graph, const ConvParams &params,
                     const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                     PlanningCache *cache) {
  const Planned p = planned(graph.getTarget(), params, options, cache);
  return addWeights(graph, p.params, p.plan, p.demands, debugContext);
}

Tensor createInput(Graph &graph, const ConvParams &params, const poplar::DebugContext &debugContext,
                   const poplar::OptionFlags &options, PlanningCache *cache) {
  const Planned p = planned(graph.getTarget(), params, options, cache);
  return addInput(graph, p.params, p.plan, p.demands, debugContext);
}

Tensor convolution(Graph &graph, const Tensor &in, const Tensor &weights, const ConvParams &params,
                   bool transposeAndFlipWeights, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                   PlanningCache *cache) {
  const Planned p = planned(graph.getTarget(), params, options, cache);
  if (transposeAndFlipWeights && weights.rank() < 3)
    throw poputil::poplibs_error("convolution: the weights " + textOf(weights.shape()) +
                                 " have fewer than three dimensions");
  const Tensor used = transposeAndFlipWeights ? transposedAndFlipped(weights) : weights;
  check("convolution", "input", in, inputShape(p.params), p.params.inputType);
  check("convolution", transposeAndFlipWeights ? "transposed weights" : "weights", used,
        weightsShape(p.params), p.params.inputType);
  addConvolutionCodelets(graph);
  return convolve(graph, in, used, p.params, p.plan, p.demands, prog,
                  {debugContext, "convolution"});
}

Tensor calculateWeightDeltas(Graph &graph, const Tensor &zDeltas, const Tensor &activations,
                             const ConvParams &fwdParams, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext,
                             const poplar::OptionFlags &options, PlanningCache *cache) {
  fwdParams.validate();
  check("calculateWeightDeltas", "output gradients", zDeltas, outputShape(fwdParams),
        fwdParams.outputType);
  check("calculateWeightDeltas", "activations", activations, inputShape(fwdParams),
        fwdParams.inputType);
  const Planned p = planned(graph.getTarget(), getWeightUpdateParams(fwdParams), options, cache);
  const std::size_t groups = fwdParams.numConvGroups;
  // Batch and channels change places: [Ci][G * batch][field...] and [G][Co][batch][field...].
  const Tensor in = activations.reshapePartial(1, 2, {groups, fwdParams.inputChannelsPerConvGroup})
                        .dimShufflePartial({2, 1, 0}, {0, 1, 2})
                        .flatten(1, 3);
  // The vertices multiply one type: gradients of another are converted first.
  const Tensor gradients =
      fwdParams.outputType == fwdParams.inputType
          ? zDeltas
          : popops::cast(graph, zDeltas, fwdParams.inputType, prog, {debugContext, "zDeltas"});
  const Tensor weights =
      gradients.reshapePartial(1, 2, {groups, fwdParams.outputChannelsPerConvGroup})
          .dimShufflePartial({1, 2, 0}, {0, 1, 2});
  addConvolutionCodelets(graph);
  // [Ci][G * Co][kernel...]
  const Tensor deltas = convolve(graph, in, weights, p.params, p.plan, p.demands, prog,
                                 {debugContext, "weightDeltas"});
  return deltas.reshapePartial(1, 2, {groups, fwdParams.outputChannelsPerConvGroup})
      .dimShufflePartial({1, 2, 0}, {0, 1, 2});
}

void weightsTransposeChansFlipXY(Graph &, const Tensor &weightsIn, const Tensor &weightsOut,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext,
                                 const poplar::OptionFlags &) {
  const Tensor turned = transposedAndFlipped(weightsIn);
  check("weightsTransposeChansFlipXY", "result", weightsOut, turned.shape(),
        weightsIn.elementType());
  prog.add(poplar::program::Copy(turned, weightsOut, false,
                                 {debugContext, "weightsTransposeChansFlipXY"}));
}

void preplanConvolutions(const std::set<ConvPlanParams> &convs, PlanningCache &cache) {
  for (const auto &entry : convs) {
    const auto *const options = std::get<2>(entry);
    planned(*std::get<0>(entry), std::get<1>(entry),
            options == nullptr ? poplar::OptionFlags() : *options, &cache);
  }
}

void preplanConvolutions(Graph &, const std::set<ConvPlanParams> &convs, PlanningCache &cache) {
  preplanConvolutions(convs, cache);
}

Tensor fullyConnectedWeightTranspose(Graph &graph, Tensor weights, const ConvParams &params,
                                     poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext,
                                     const poplar::OptionFlags &options, PlanningCache *cache) {
  if (params.getNumFieldDims() != 1)
    throw poputil::poplibs_error(
        "fullyConnectedWeightTranspose: the parameters must have one field "
        "dimension, not " +
        std::to_string(params.getNumFieldDims()));
  const Planned p = planned(graph.getTarget(), getGradientParams(params), options, cache);
  const Tensor turned = weights.dimShufflePartial({1, 2}, {2, 1});
  const Tensor copy = addWeights(graph, p.params, p.plan, p.demands, {debugContext, "transposed"});
  check("fullyConnectedWeightTranspose", "weights", turned, copy.shape(), copy.elementType());
  prog.add(poplar::program::Copy(turned, copy, false, {debugContext, "transpose"}));
  return copy;
}

std::uint64_t getFwdFlops(const ConvParams &params) {
  return 2 * params.batchSize * params.numConvGroups * params.inputChannelsPerConvGroup *
         params.outputChannelsPerConvGroup * meetings(params);
}
// Each product of the forward pass has one in each of the others.
std::uint64_t getBwdFlops(const ConvParams &params) { return getFwdFlops(params); }
std::uint64_t getWuFlops(const ConvParams &params) { return getFwdFlops(params); }

double getFwdPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return perfectCycles(graph, params, getFwdFlops(params));
}
double getBwdPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return perfectCycles(graph, params, getBwdFlops(params));
}
double getWuPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return perfectCycles(graph, params, getWuFlops(params));
}

void reportPlanInfo(std::ostream &out, const Graph &graph, const ConvParams &params,
                    const poplar::OptionFlags &options, PlanningCache *cache) {
  const Planned p = planned(graph.getTarget(), params, options, cache);
  out << p.params << p.plan;
}

PlanCosts reportPlanEstimatedCosts(const Graph &graph, const ConvParams &params,
                                   const poplar::OptionFlags &options, PlanningCache *cache) {
  const plan::Cost cost = planned(graph.getTarget(), params, options, cache).plan.cost;
  return {cost.cycles(), cost.bytes};
}

void reportWeightUpdatePlanInfo(std::ostream &out, const Graph &graph, const ConvParams &fwdParams,
                                const poplar::OptionFlags &fwdOptions, PlanningCache *cache) {
  reportPlanInfo(out, graph, getWeightUpdateParams(fwdParams), fwdOptions, cache);
}

} // namespace poplin
