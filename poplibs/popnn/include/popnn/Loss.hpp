#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <utility>

namespace popnn {

enum LossType { SUM_SQUARED_LOSS, CROSS_ENTROPY_LOSS };

// Losses of rows, not averaged over them.
//
// modelOutputs [batch][classes] is FLOAT or HALF, for CROSS_ENTROPY_LOSS the result of softmax;
// expected [batch], INT or UNSIGNED_INT, are labels. With e the row that is 1 at its label, else 0:
// SUM_SQUARED_LOSS: the loss is 0.5 * sum (p - e)^2, its deltas p - e. CROSS_ENTROPY_LOSS: the loss
// is -(log(p + epsilon) - log modelOutputScaling) at the label, the deltas are with respect to the
// argument of softmax: deltasScale / modelOutputScaling * (p - modelOutputScaling * e).
// A label 0xFFFFFFFF is masked: its loss and its deltas are 0, and it counts as wrong.
// Written are loss [batch] and deltas [batch][classes], of the type of modelOutputs. To numCorrect,
// one UNSIGNED_INT, the number of rows is added whose first maximum is at the label.
// Errors: poputil::poplibs_error.

/// \param deltasScale, modelOutputScaling  one element each; for CROSS_ENTROPY_LOSS only
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
                                  const poplar::Tensor &modelOutputScaling, LossType lossType,
                                  const poplar::DebugContext &debugContext = {});
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, LossType lossType,
                                  const poplar::DebugContext &debugContext = {});
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
                                  const poplar::Tensor &modelOutputScaling,
                                  const poplar::Tensor &numCorrect, LossType lossType,
                                  const poplar::DebugContext &debugContext = {});
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, const poplar::Tensor &numCorrect,
                                  LossType lossType, const poplar::DebugContext &debugContext = {});

poplar::program::Program calcAccuracy(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                      const poplar::Tensor &expected,
                                      const poplar::Tensor &numCorrect,
                                      const poplar::DebugContext &debugContext = {});

// Of each row of FLOAT, HALF, INT or UNSIGNED_INT: the index of its first extreme, UNSIGNED_INT of
// shape [rows], and its value.

poplar::Tensor argMax(poplar::Graph &graph, const poplar::Tensor &input,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
poplar::Tensor argMin(poplar::Graph &graph, const poplar::Tensor &input,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
/// \returns values and indices
std::pair<poplar::Tensor, poplar::Tensor>
maxAndArgMax(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor>
minAndArgMin(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});

/// The K largest of each row, the largest first.
/// \param indices  is set to where they stand. \returns [rows][1][K], like the indices
poplar::Tensor topK(poplar::Graph &graph, const poplar::Tensor &input, poplar::Tensor &indices,
                    unsigned K, bool sort, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});

} // namespace popnn
