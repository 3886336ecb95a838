#include "accumulate.hpp"
#include "options.hpp"
#include "poplin/Convolution.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <vector>

namespace poplin {
namespace {

using poplar::Graph;
using poplar::Tensor;

void checkChannels(const char *function, const Tensor &acts, const Tensor &biases) {
  if (acts.rank() < 2)
    throw poputil::poplibs_error(std::string(function) + ": activations of shape " +
                                 acts.shapeToString() + " have no dimension of channels");
  if (biases.rank() != 1 || biases.dim(0) != acts.dim(1))
    throw poputil::poplibs_error(std::string(function) + ": the biases must have shape {" +
                                 std::to_string(acts.dim(1)) + "}, not " + biases.shapeToString());
}

template <typename Scale>
void update(Graph &graph, const Tensor &zDeltas, const Tensor &biases, const Scale &scale,
            const poplar::OptionFlags &options, poplar::program::Sequence &prog,
            const poplar::DebugContext &debugContext) {
  checkChannels("convolutionBiasUpdate", zDeltas, biases);
  convolutionDemands(options, zDeltas.elementType(), zDeltas.elementType());
  std::vector<std::size_t> dims{0};
  for (std::size_t d = 2; d != zDeltas.rank(); ++d)
    dims.push_back(d);
  const Tensor sums = popops::reduce(graph, zDeltas, poplar::FLOAT, dims, popops::Operation::ADD,
                                     prog, {debugContext, "biasDeltas"});
  addScaled("convolutionBiasUpdate", graph, biases, scale, sums, prog, debugContext);
}

} // namespace

Tensor createBiases(Graph &graph, const Tensor &activations,
                    const poplar::DebugContext &debugContext) {
  if (activations.rank() < 2)
    throw poputil::poplibs_error("createBiases: activations of shape " +
                                 activations.shapeToString() + " have no dimension of channels");
  return poputil::createBroadcastOperand(graph, activations, activations.elementType(), 1, false,
                                         debugContext);
}

void addBias(Graph &graph, const Tensor &in, const Tensor &biases, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext) {
  checkChannels("addBias", in, biases);
  const std::vector<std::size_t> behind(in.rank() - 2, 1);
  popops::addInPlace(graph, in, biases.expand(behind), prog, {debugContext, "addBias"});
}

void convolutionBiasUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &biases,
                           const Tensor &scale, const poplar::OptionFlags &options,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext) {
  update(graph, zDeltas, biases, scale, options, prog, debugContext);
}

void convolutionBiasUpdate(Graph &graph, const Tensor &zDeltas, const Tensor &biases, float scale,
                           const poplar::OptionFlags &options, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext) {
  update(graph, zDeltas, biases, scale, options, prog, debugContext);
}

} // namespace poplin
