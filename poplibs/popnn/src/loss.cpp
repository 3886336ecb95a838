#include "popnn/Loss.hpp"

#include "checks.hpp"
#include "extremes.hpp"
#include "rows.hpp"

#include <poputil/VertexTemplates.hpp>
#include <tile_work/codelet_groups.hpp>

namespace popnn {
namespace {

using poplar::Graph;
using poplar::Tensor;
using poplar::program::Program;
using poplar::program::Sequence;

void checkLabels(const char *function, const Tensor &modelOutputs, const Tensor &expected) {
  requireFloatingPoint(function, modelOutputs);
  require(function, modelOutputs.rank() == 2,
          "the model outputs must have two dimensions, not shape " + modelOutputs.shapeToString());
  require(function, expected.rank() == 1 && expected.dim(0) == modelOutputs.dim(0),
          "the labels must have shape {" + std::to_string(modelOutputs.dim(0)) + "}, not " +
              expected.shapeToString());
  require(function,
          expected.elementType() == poplar::INT || expected.elementType() == poplar::UNSIGNED_INT,
          "the labels must be INT or UNSIGNED_INT, not " + expected.elementType().toString());
}

Tensor one(Graph &graph, const poplar::Type &type, const poplar::DebugContext &debugContext) {
  const Tensor t = graph.addConstant(type, {}, 1.0f, {debugContext, "one"});
  graph.setTileMapping(t, 0);
  return t;
}

Tensor asScalar(const char *what, const Tensor &t, const poplar::Type &type) {
  require("calcLoss", t.numElements() == 1,
          std::string(what) + " must have one element, not shape " + t.shapeToString());
  require("calcLoss", t.elementType() == type,
          std::string(what) + " must be " + type.toString() + " like the model outputs, not " +
              t.elementType().toString());
  return t.reshape({});
}

Program lossOf(Graph &graph, const Tensor &modelOutputs, const Tensor &expected, const Tensor &loss,
               const Tensor &deltas, const Tensor &deltasScale, const Tensor &outputScaling,
               LossType lossType, const poplar::DebugContext &debugContext) {
  const poplar::Type type = modelOutputs.elementType();
  checkLabels("calcLoss", modelOutputs, expected);
  require("calcLoss", loss.shape() == expected.shape() && loss.elementType() == type,
          "the loss must be " + type.toString() + " of shape " + expected.shapeToString() +
              ", not " + loss.elementType().toString() + " of shape " + loss.shapeToString());
  require("calcLoss", deltas.shape() == modelOutputs.shape() && deltas.elementType() == type,
          "the deltas must be " + type.toString() + " of shape " + modelOutputs.shapeToString() +
              ", not " + deltas.elementType().toString() + " of shape " + deltas.shapeToString());
  const std::string vertex = poputil::templateVertex("popnn::Loss", type);
  copse::tile_work::addCodeletGroup(graph, "popnn", "loss", vertex);
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "Loss"});
  const Tensor labels = expected.reinterpret(poplar::UNSIGNED_INT);
  const std::uint64_t workers = graph.getTarget().getNumWorkerContexts();
  for (const RowShare &share : shareRows(graph, modelOutputs)) {
    const auto part = [&](const Tensor &t) { return t.slice(share.begin, share.end).flatten(); };
    const auto v = graph.addVertex(cs, vertex,
                                   {{"rows", part(modelOutputs)},
                                    {"labels", part(labels)},
                                    {"deltasScale", deltasScale},
                                    {"outputScaling", outputScaling},
                                    {"loss", part(loss)},
                                    {"deltas", part(deltas)}});
    graph.setInitialValue(v["columns"], static_cast<unsigned>(modelOutputs.dim(1)));
    graph.setInitialValue(v["crossEntropy"], lossType == CROSS_ENTROPY_LOSS);
    graph.setTileMapping(v, share.tile);
    const std::uint64_t rows = (share.end - share.begin + workers - 1) / workers;
    graph.setPerfEstimate(v, workers * (20 + rows * (30 + 3 * modelOutputs.dim(1))));
  }
  return poplar::program::Execute(cs, {debugContext, "Loss"});
}

void addAccuracy(Graph &graph, const Tensor &modelOutputs, const Tensor &expected,
                 const Tensor &numCorrect, Sequence &prog,
                 const poplar::DebugContext &debugContext) {
  checkLabels("calcAccuracy", modelOutputs, expected);
  require("calcAccuracy",
          numCorrect.numElements() == 1 && numCorrect.elementType() == poplar::UNSIGNED_INT,
          "the number of correct rows must be one UNSIGNED_INT, not " +
              numCorrect.elementType().toString() + " of shape " + numCorrect.shapeToString());
  const Tensor indices =
      extremes("calcAccuracy", graph, modelOutputs, true, prog, debugContext).second;
  const Tensor labels = expected.reinterpret(poplar::UNSIGNED_INT);
  const auto shares = shareRows(graph, modelOutputs);
  const Tensor counts =
      graph.addVariable(poplar::UNSIGNED_INT, {shares.size()}, {debugContext, "counts"});
  const poplar::ComputeSet count = graph.addComputeSet({debugContext, "CountCorrect"});
  for (std::size_t i = 0; i != shares.size(); ++i) {
    const RowShare &share = shares[i];
    graph.setTileMapping(counts[i], share.tile);
    const auto v = graph.addVertex(count, "popnn::CountCorrect",
                                   {{"indices", indices.slice(share.begin, share.end)},
                                    {"labels", labels.slice(share.begin, share.end)},
                                    {"correct", counts[i]}});
    graph.setTileMapping(v, share.tile);
    graph.setPerfEstimate(v, 10 + 4 * (share.end - share.begin));
  }
  prog.add(poplar::program::Execute(count, {debugContext, "CountCorrect"}));
  const poplar::ComputeSet add = graph.addComputeSet({debugContext, "AddCounts"});
  const auto v = graph.addVertex(add, "popnn::AddCounts",
                                 {{"counts", counts}, {"sum", numCorrect.reshape({})}});
  const auto mapping = graph.getTileMapping(numCorrect);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    if (!mapping[tile].empty())
      graph.setTileMapping(v, tile);
  graph.setPerfEstimate(v, 10 + 2 * shares.size());
  prog.add(poplar::program::Execute(add, {debugContext, "AddCounts"}));
}

} // namespace

Program calcLoss(Graph &graph, const Tensor &modelOutputs, const Tensor &expected,
                 const Tensor &loss, const Tensor &deltas, const Tensor &deltasScale,
                 const Tensor &modelOutputScaling, LossType lossType,
                 const poplar::DebugContext &debugContext) {
  require("calcLoss", lossType == CROSS_ENTROPY_LOSS,
          "scales can only be given for CROSS_ENTROPY_LOSS");
  const poplar::Type type = modelOutputs.elementType();
  return lossOf(graph, modelOutputs, expected, loss, deltas,
                asScalar("deltasScale", deltasScale, type),
                asScalar("modelOutputScaling", modelOutputScaling, type), lossType, debugContext);
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs, const Tensor &expected,
                 const Tensor &loss, const Tensor &deltas, LossType lossType,
                 const poplar::DebugContext &debugContext) {
  checkLabels("calcLoss", modelOutputs, expected);
  const Tensor scale = one(graph, modelOutputs.elementType(), debugContext);
  return lossOf(graph, modelOutputs, expected, loss, deltas, scale, scale, lossType, debugContext);
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs, const Tensor &expected,
                 const Tensor &loss, const Tensor &deltas, const Tensor &deltasScale,
                 const Tensor &modelOutputScaling, const Tensor &numCorrect, LossType lossType,
                 const poplar::DebugContext &debugContext) {
  Sequence prog;
  prog.add(calcLoss(graph, modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling,
                    lossType, debugContext));
  addAccuracy(graph, modelOutputs, expected, numCorrect, prog, debugContext);
  return prog;
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs, const Tensor &expected,
                 const Tensor &loss, const Tensor &deltas, const Tensor &numCorrect,
                 LossType lossType, const poplar::DebugContext &debugContext) {
  Sequence prog;
  prog.add(calcLoss(graph, modelOutputs, expected, loss, deltas, lossType, debugContext));
  addAccuracy(graph, modelOutputs, expected, numCorrect, prog, debugContext);
  return prog;
}

Program calcAccuracy(Graph &graph, const Tensor &modelOutputs, const Tensor &expected,
                     const Tensor &numCorrect, const poplar::DebugContext &debugContext) {
  Sequence prog;
  addAccuracy(graph, modelOutputs, expected, numCorrect, prog, debugContext);
  return prog;
}

} // namespace popnn
