#include "time_steps.hpp"

#include "checks.hpp"
#include "popnn/NonLinearityDefUtil.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

namespace popnn {
namespace rnn {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
namespace pe = popops::expr;

TimeStep::TimeStep(Graph &graph, const RnnParams &params, const Tensor &index, Sequence &prog,
                   const DebugContext &debugContext)
    : graph_(graph), params_(params), index_(index), prog_(prog), debugContext_(debugContext) {}

Tensor TimeStep::read(const Tensor &sequence) {
  return popops::dynamicSlice(graph_, sequence, index_, {0}, {1}, prog_,
                              {debugContext_, "read"})[0];
}

void TimeStep::write(const Tensor &sequence, const Tensor &value) {
  popops::dynamicUpdate(graph_, sequence, value.expand({0}), index_, {0}, {1}, prog_,
                        {debugContext_, "write"});
}

Tensor TimeStep::orEnded(const Tensor &here, const Tensor &ended) {
  if (!params_.variableTimeSteps())
    return here;
  return popops::map(graph_, pe::Select(pe::_1, pe::_2, pe::Lt(pe::_3, pe::_4)),
                     {here, ended, index_, params_.varTimeSteps.expand({1})}, prog_,
                     {debugContext_, "ended"});
}

Tensor TimeStep::orZero(const Tensor &here) {
  if (!params_.variableTimeSteps())
    return here;
  return popops::map(graph_, pe::Select(pe::_1, pe::Const(0), pe::Lt(pe::_2, pe::_3)),
                     {here, index_, params_.varTimeSteps.expand({1})}, prog_,
                     {debugContext_, "ended"});
}

void forEachStep(Graph &graph, const RnnParams &params, bool backwards, Sequence &prog,
                 const DebugContext &debugContext, const StepBody &body) {
  const auto steps = static_cast<unsigned>(params.maxTimeSteps);
  prog.add(popops::countedLoop(graph, steps,
                               [&](const Tensor &counter) {
                                 Sequence step;
                                 const Tensor index =
                                     backwards
                                         ? popops::map(graph, pe::Sub(pe::Const(steps - 1), pe::_1),
                                                       {counter}, step, {debugContext, "index"})
                                         : counter;
                                 TimeStep here(graph, params, index, step, debugContext);
                                 body(here);
                                 return step;
                               },
                               {debugContext, "steps"}));
}

Tensor createSequence(Graph &graph, const RnnParams &params, const std::vector<std::size_t> &shape,
                      const DebugContext &debugContext) {
  std::vector<std::size_t> all = {params.maxTimeSteps};
  all.insert(all.end(), shape.begin(), shape.end());
  return popops::createSliceableTensor(graph, params.dataType, all, {0}, {1}, 0, debugContext);
}

Tensor carried(Graph &graph, const Tensor &t, Sequence &prog, const DebugContext &debugContext) {
  return poputil::duplicate(graph, t, prog, debugContext);
}

Tensor carriedZeros(Graph &graph, const RnnParams &params, Sequence &prog,
                    const DebugContext &debugContext) {
  const Tensor t = graph.addVariable(params.dataType, {params.batchSize, params.layerSizes.back()},
                                     debugContext);
  poputil::mapTensorLinearly(graph, t);
  popops::zero(graph, t, prog, debugContext);
  return t;
}

Tensor previousOutputs(const Tensor &initial, const Tensor &outputs) {
  return poplar::concat(initial.expand({0}), outputs.slice(0, outputs.dim(0) - 1));
}

Tensor stacked(const std::vector<Tensor> &parts) {
  std::vector<Tensor> all;
  for (const Tensor &part : parts)
    all.push_back(part.expand({0}));
  return poplar::concat(all);
}

Tensor asMatrix(const Tensor &weights) { return weights.dimShuffle({1, 0, 2}).flatten(1, 3); }
Tensor asUnits(const Tensor &matrix, std::size_t units) {
  return matrix.reshapePartial(1, 2, {units, matrix.dim(1) / units}).dimShuffle({1, 0, 2});
}

void checkTrainable(const char *function, NonLinearityType type) {
  require(function,
          type == NonLinearityType::TANH || type == NonLinearityType::SIGMOID ||
              type == NonLinearityType::RELU,
          std::string("a result of ") + asString(type) +
              " does not give its derivative; training takes tanh, sigmoid and relu");
}

void checkTensor(const char *function, const char *what, const Tensor &t, const RnnParams &params,
                 const std::vector<std::size_t> &shape) {
  std::string expected;
  for (const std::size_t size : shape)
    expected += (expected.empty() ? "{" : ",") + std::to_string(size);
  require(function, t.shape() == shape && t.elementType() == params.dataType,
          std::string(what) + " have shape " + t.shapeToString() + " and type " +
              t.elementType().toString().cloneAsString() + "; they must have " + expected +
              "} and " + params.dataType.toString().cloneAsString());
}

void checkLayer(const char *function, const RnnParams &params) {
  require(function, params.layerSizes.size() == 2,
          std::to_string(params.layerSizes.size()) +
              " layer sizes; there are two, of the input and of the output");
  require(function, params.dataType == poplar::FLOAT || params.dataType == poplar::HALF,
          "layers are FLOAT or HALF, not " + params.dataType.toString().cloneAsString());
  require(function, params.maxTimeSteps != 0 && params.batchSize != 0,
          "a layer without time steps or without items");
}

} // namespace rnn
} // namespace popnn
