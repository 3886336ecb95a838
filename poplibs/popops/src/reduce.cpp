#include "popops/Reduce.hpp"

#include "popops/Fill.hpp"
#include "popops/OperationDefUtil.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/exceptions.hpp"
#include "reduce_arguments.hpp"
#include "reduction.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace popops {
namespace {

using namespace copse::reductions;
using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::poplibs_error;

Dims withoutOnes(Dims shape) {
  std::erase(shape, 1u);
  return shape;
}

/// Fills the result of an empty reduction: see the numerical contract.
void fillWithIdentity(Graph &graph, const Tensor &out, Operation op, ComputeSet cs) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto mapping = graph.getTileMapping(out);
  const bool isInt = out.elementType() == poplar::INT;
  switch (op) {
  case Operation::ADD:
  case Operation::SQUARE_ADD:
  case Operation::LOGICAL_OR:
    return fill(graph, out.flatten(), mapping, cs, 0u);
  case Operation::MUL:
  case Operation::LOGICAL_AND:
    return fill(graph, out.flatten(), mapping, cs, 1u);
  case Operation::MIN:
    return isInt ? fill(graph, out.flatten(), mapping, cs, std::numeric_limits<int>::max())
                 : fill(graph, out.flatten(), mapping, cs, infinity);
  case Operation::MAX:
    return isInt ? fill(graph, out.flatten(), mapping, cs, std::numeric_limits<int>::lowest())
                 : fill(graph, out.flatten(), mapping, cs, -infinity);
  case Operation::LOG_ADD:
    break;
  }
}

bool isMappedAnywhere(const Graph &graph, const Tensor &t) {
  const auto mapping = graph.getTileMapping(t, false);
  return std::any_of(mapping.begin(), mapping.end(),
                     [](const auto &tile) { return !tile.empty(); });
}

Tensor reduceTo(Graph &graph, const Tensor &in, std::optional<Tensor> out, const Type &outType,
                const Dims &dims, const ReduceParams &params, std::vector<ComputeSet> &css,
                const DebugContext &debugContext, const OptionFlags &flags) {
  checkReduction(in, outType, dims, params);
  const Type partialType = partialTypeOf(params.op, outType, flags);
  const Dims shape = reducedShape(in, dims);
  if (out && withoutOnes(out->shape()) != withoutOnes(shape))
    throw poplibs_error("reduce: an output of shape " + out->shapeToString() +
                        " for a reduction of shape " + in.shapeToString() +
                        "; its shape must be that of the other dimensions, but for sizes of one");
  if (out)
    out = out->reshape(shape);
  if (out && !out->isParallelWriteable())
    throw poplibs_error("reduce: the output has constants or aliases");
  std::size_t reduced = 1, outputs = 1;
  for (const std::size_t dim : shape)
    outputs *= dim;
  for (unsigned d = 0; d != in.rank(); ++d)
    if (std::find(dims.begin(), dims.end(), d) != dims.end())
      reduced *= in.dim(d);
  if (params.op == Operation::LOG_ADD && (dims.empty() || reduced == 0))
    throw poplibs_error("reduce: LOG_ADD of no elements has no value");
  if (out && outputs != 0 && !isMappedAnywhere(graph, *out))
    poputil::mapTensorLinearly(graph, *out);
  if (outputs == 0 || reduced == 0) {
    if (!out) {
      out = graph.addVariable(outType, shape, {debugContext, "reduced"});
      poputil::mapTensorLinearly(graph, *out);
    }
    if (outputs != 0 && !params.update)
      fillWithIdentity(graph, *out, params.op, Stages(graph, css, debugContext)[0]);
    return *out;
  }
  return addReduction(graph, {in, dims, outType, partialType, params}, out,
                      Stages(graph, css, debugContext), debugContext);
}

void addTo(Sequence &prog, const std::vector<ComputeSet> &css, const DebugContext &debugContext) {
  for (const ComputeSet cs : css)
    prog.add(poplar::program::Execute(cs, debugContext));
}

void checkNoUpdate(const ReduceParams &params) {
  if (params.update)
    throw poplibs_error("reduce: an update needs an output; use reduceWithOutput()");
}

} // namespace

std::string toString(Operation op) {
  switch (op) {
  case Operation::ADD:
    return "ADD";
  case Operation::MUL:
    return "MUL";
  case Operation::MIN:
    return "MIN";
  case Operation::MAX:
    return "MAX";
  case Operation::LOGICAL_AND:
    return "LOGICAL_AND";
  case Operation::LOGICAL_OR:
    return "LOGICAL_OR";
  case Operation::SQUARE_ADD:
    return "SQUARE_ADD";
  case Operation::LOG_ADD:
    return "LOG_ADD";
  }
  return "?";
}
std::ostream &operator<<(std::ostream &out, Operation op) { return out << toString(op); }

Tensor reduce(Graph &graph, const Tensor &in, const Type &outType, const Dims &dims,
              ReduceParams params, std::vector<ComputeSet> &css, const DebugContext &debugContext,
              const OptionFlags &options) {
  checkNoUpdate(params);
  return reduceTo(graph, in, {}, outType, dims, params, css, debugContext, options);
}
Tensor reduce(Graph &graph, const Tensor &in, const Dims &dims, ReduceParams params,
              std::vector<ComputeSet> &css, const DebugContext &debugContext,
              const OptionFlags &options) {
  return reduce(graph, in, in.elementType(), dims, std::move(params), css, debugContext, options);
}
Tensor reduce(Graph &graph, const Tensor &in, const Type &outType, const Dims &dims,
              ReduceParams params, Sequence &prog, const DebugContext &debugContext,
              const OptionFlags &options) {
  std::vector<ComputeSet> css;
  const Tensor out =
      reduce(graph, in, outType, dims, std::move(params), css, debugContext, options);
  addTo(prog, css, debugContext);
  return out;
}
Tensor reduce(Graph &graph, const Tensor &in, const Dims &dims, ReduceParams params, Sequence &prog,
              const DebugContext &debugContext, const OptionFlags &options) {
  return reduce(graph, in, in.elementType(), dims, std::move(params), prog, debugContext, options);
}

void reduceWithOutput(Graph &graph, const Tensor &in, const Tensor &out, const Dims &dims,
                      ReduceParams params, std::vector<ComputeSet> &css,
                      const DebugContext &debugContext, const OptionFlags &options) {
  reduceTo(graph, in, out, out.elementType(), dims, params, css, debugContext, options);
}
void reduceWithOutput(Graph &graph, const Tensor &in, const Tensor &out, const Dims &dims,
                      ReduceParams params, Sequence &prog, const DebugContext &debugContext,
                      const OptionFlags &options) {
  std::vector<ComputeSet> css;
  reduceWithOutput(graph, in, out, dims, std::move(params), css, debugContext, options);
  addTo(prog, css, debugContext);
}

void reduceMany(Graph &graph, const std::vector<SingleReduceOp> &reductions,
                std::vector<Tensor> &outputs, Sequence &prog, const DebugContext &debugContext,
                const OptionFlags &options) {
  const bool create = outputs.empty();
  if (!create && outputs.size() != reductions.size())
    throw poplibs_error("reduceMany: " + std::to_string(outputs.size()) + " outputs for " +
                        std::to_string(reductions.size()) + " reductions");
  std::vector<ComputeSet> css;
  for (std::size_t i = 0; i != reductions.size(); ++i) {
    const SingleReduceOp &one = reductions[i];
    const DebugContext name(debugContext, one.debugName);
    if (create)
      outputs.push_back(reduce(graph, one.in, one.useOutType ? one.outType : one.in.elementType(),
                               one.dims, one.params, css, name, options));
    else
      reduceWithOutput(graph, one.in, outputs[i], one.dims, one.params, css, name, options);
  }
  addTo(prog, css, debugContext);
}

} // namespace popops
