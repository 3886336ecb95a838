// The tensors of Rnn(): states, and sequences that a loop reads and writes step by step.
#include "checks.hpp"
#include "popnn/Rnn.hpp"
#include "time_steps.hpp"

#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

namespace popnn {
namespace rnn {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

Tensor createSteps(const char *function, Graph &graph, const RnnParams &params, unsigned multiple,
                   std::size_t size, unsigned numShards, const DebugContext &debugContext) {
  checkLayer(function, params);
  checkShards(function, numShards);
  require(function, multiple != 0, "0 tensors for each step");
  return createSequence(graph, params, {multiple, params.batchSize, size}, debugContext)
      .flatten(0, 2);
}

} // namespace

void checkShards(const char *function, unsigned numShards) {
  require(function, numShards != 0, "time cannot be cut into 0 parts");
}

Tensor byStep(const char *function, const RnnParams &params, const Tensor &sequence) {
  const std::size_t steps = params.maxTimeSteps;
  require(function, steps != 0, "a layer without time steps");
  require(function, sequence.rank() != 0 && sequence.dim(0) != 0 && sequence.dim(0) % steps == 0,
          "a sequence of shape " + sequence.shapeToString() + " does not have " +
              std::to_string(steps) + " steps");
  const std::size_t multiple = sequence.dim(0) / steps;
  return multiple == 1 ? sequence : sequence.reshapePartial(0, 1, {steps, multiple});
}

Tensor createInitialState(Graph &graph, const RnnParams &params, bool isOutput, unsigned multiple,
                          unsigned numShards, const DebugContext &debugContext) {
  checkLayer("createInitialState", params);
  checkShards("createInitialState", numShards);
  const std::size_t size = isOutput ? params.layerSizes.back() : params.layerSizes.front();
  const Tensor t =
      graph.addVariable(params.dataType, {multiple, params.batchSize, size}, debugContext);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

Tensor createRecurrentTensor(Graph &graph, const RnnParams &params, unsigned size,
                             unsigned numShards, const DebugContext &debugContext) {
  return createSteps("createRecurrentTensor", graph, params, 1, size, numShards, debugContext);
}
Tensor createInputTensor(Graph &graph, const RnnParams &params, unsigned numShards,
                         const DebugContext &debugContext) {
  return createSteps("createInputTensor", graph, params, 1, params.layerSizes.front(), numShards,
                     debugContext);
}
Tensor createOutputTensor(Graph &graph, const RnnParams &params, unsigned numShards,
                          const DebugContext &debugContext) {
  return createOutputTensor(graph, params, 1, numShards, debugContext);
}
Tensor createOutputTensor(Graph &graph, const RnnParams &params, unsigned multiple,
                          unsigned numShards, const DebugContext &debugContext) {
  return createSteps("createOutputTensor", graph, params, multiple, params.layerSizes.back(),
                     numShards, debugContext);
}

Tensor shiftRnnTensor(Graph &graph, const RnnParams &params, const Tensor &tBase,
                      const Tensor &tSingle, Sequence &prog, unsigned numShards,
                      const DebugContext &debugContext) {
  const char *const function = "shiftRnnTensor";
  checkShards(function, numShards);
  const Tensor steps = byStep(function, params, tBase);
  require(function, tSingle.numElements() == steps[0].numElements(),
          "a step of shape " + tSingle.shapeToString() + " does not fit a sequence of shape " +
              tBase.shapeToString());
  return poputil::duplicate(graph, previousOutputs(tSingle.reshape(steps[0].shape()), steps), prog,
                            debugContext)
      .reshape(tBase.shape());
}

} // namespace rnn
} // namespace popnn
