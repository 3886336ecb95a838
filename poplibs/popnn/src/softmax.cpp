#include "softmax.hpp"

#include "checks.hpp"
#include "popnn/LogSoftmax.hpp"
#include "rows.hpp"
#include "vertex_type.hpp"

#include <poputil/Util.hpp>

namespace popnn {
namespace {

using poplar::Graph;
using poplar::Tensor;

// Instructions of a worker for an element, in all passes over a row.
constexpr std::uint64_t kCyclesOfElement = 12;

/// Returns [rows][innermost dimension]
Tensor asRows(const char *function, const Tensor &t) {
  requireFloatingPoint(function, t);
  require(function, t.rank() != 0, "a scalar has no innermost dimension");
  return t.rank() == 1 ? t.expand({0}) : t.flatten(0, t.rank() - 1);
}

void setCycles(Graph &graph, poplar::VertexRef v, const RowShare &share, std::size_t columns) {
  const std::uint64_t workers = graph.getTarget().getNumWorkerContexts();
  const std::uint64_t rows = (share.end - share.begin + workers - 1) / workers;
  graph.setPerfEstimate(v, workers * (20 + rows * (20 + kCyclesOfElement * columns)));
}

struct Form {
  bool stable, logarithm;
  float factor;
};

void addRows(const char *function, Graph &graph, const Form &form, const Tensor &t,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  const Tensor rows = asRows(function, t);
  require(function, t.isParallelWriteable(),
          "the tensor has constants or an element twice and cannot be changed in place");
  const std::string vertex = vertexType(graph, "softmax", "popnn::Softmax", t.elementType());
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, function});
  for (const RowShare &share : shareRows(graph, rows)) {
    const auto v =
        graph.addVertex(cs, vertex, {{"rows", rows.slice(share.begin, share.end).flatten()}});
    graph.setInitialValue(v["columns"], static_cast<unsigned>(rows.dim(1)));
    graph.setInitialValue(v["stable"], form.stable);
    graph.setInitialValue(v["logarithm"], form.logarithm);
    graph.setInitialValue(v["factor"], form.factor);
    graph.setTileMapping(v, share.tile);
    setCycles(graph, v, share, rows.dim(1));
  }
  prog.add(poplar::program::Execute(cs, {debugContext, function}));
}

} // namespace

bool isSoftmax(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX || type == NonLinearityType::SOFTMAX_STABLE ||
         type == NonLinearityType::SOFTMAX_SCALED;
}

void softmaxRowsInPlace(Graph &graph, NonLinearityType type, const Tensor &t,
                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  const bool scaled = type == NonLinearityType::SOFTMAX_SCALED;
  addRows("softmax", graph,
          {type != NonLinearityType::SOFTMAX, false, scaled ? kSoftmaxScaling : 1.0f}, t, prog,
          debugContext);
}

Tensor softmaxGradient(Graph &graph, const Tensor &act, const Tensor &outGradient,
                       poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  const char *const function = "softmaxGradient";
  const Tensor acts = asRows(function, act), gradients = asRows(function, outGradient);
  const Tensor out = graph.clone(act, {debugContext, function});
  const Tensor outRows = asRows(function, out);
  const std::string vertex =
      vertexType(graph, "softmax", "popnn::SoftmaxGradient", act.elementType());
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, function});
  for (const RowShare &share : shareRows(graph, outRows)) {
    const auto part = [&](const Tensor &t) { return t.slice(share.begin, share.end).flatten(); };
    const auto v = graph.addVertex(
        cs, vertex,
        {{"act", part(acts)}, {"outGradient", part(gradients)}, {"inGradient", part(outRows)}});
    graph.setInitialValue(v["columns"], static_cast<unsigned>(acts.dim(1)));
    graph.setTileMapping(v, share.tile);
    setCycles(graph, v, share, acts.dim(1));
  }
  prog.add(poplar::program::Execute(cs, {debugContext, function}));
  return out;
}

void logSoftmaxInPlace(Graph &graph, Tensor t, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext) {
  addRows("logSoftmax", graph, {true, true, 1.0f}, t, prog, debugContext);
}

Tensor logSoftmax(Graph &graph, Tensor t, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext) {
  asRows("logSoftmax", t);
  const Tensor out = poputil::duplicate(graph, t, prog, {debugContext, "logSoftmax"});
  logSoftmaxInPlace(graph, out, prog, debugContext);
  return out;
}

} // namespace popnn
