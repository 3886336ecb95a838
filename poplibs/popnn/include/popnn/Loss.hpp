#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <utility>

namespace popnn {

/// The losses of calcLoss().
enum LossType { SUM_SQUARED_LOSS, CROSS_ENTROPY_LOSS };

/// \file
/// Losses of rows, not averaged over them.
///
/// modelOutputs [batch, classes] is FLOAT or HALF, for CROSS_ENTROPY_LOSS the result of softmax;
/// expected [batch], INT or UNSIGNED_INT, are labels. With p the outputs, and e a row that is 1 at
/// the label and else 0:
/// - SUM_SQUARED_LOSS: the loss is 0.5 * sum (p - e)^2, the deltas are p - e
/// - CROSS_ENTROPY_LOSS: the loss is -(log(p + epsilon) - log modelOutputScaling) at the label, the
///   deltas are with respect to the argument of softmax: deltasScale / modelOutputScaling * (p -
///   modelOutputScaling * e)
///
/// A label 0xFFFFFFFF is masked: its loss and its deltas are 0, and it counts as wrong. The
/// programs write loss [batch] and deltas [batch, classes], which have the type of modelOutputs.
/// The programs also add the number of correct rows, in which the first maximum is at the label, to
/// numCorrect, one UNSIGNED_INT.

///@{

/// Returns a program that computes losses and deltas, and counts correct rows if \p numCorrect is
/// given.
/// - \p deltasScale, \p modelOutputScaling: one element each; for CROSS_ENTROPY_LOSS only
/// \throws poputil::poplibs_error if shapes or types do not fit
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
///@}

/// Returns a program that adds the number of correct rows to \p numCorrect.
/// \throws poputil::poplibs_error if shapes or types do not fit
poplar::program::Program calcAccuracy(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                      const poplar::Tensor &expected,
                                      const poplar::Tensor &numCorrect,
                                      const poplar::DebugContext &debugContext = {});

///@{

/// Computes the index of the first extreme of each row.
/// - \p input: FLOAT, HALF, INT or UNSIGNED_INT, shape [rows, columns]
///
/// The result is UNSIGNED_INT, shape [rows].
/// \throws poputil::poplibs_error if the shape or type does not fit, or rows are empty

poplar::Tensor argMax(poplar::Graph &graph, const poplar::Tensor &input,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
poplar::Tensor argMin(poplar::Graph &graph, const poplar::Tensor &input,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
///@}

///@{

/// Computes value and index of the first extreme of each row, both of shape [rows]; otherwise as
/// argMax().
std::pair<poplar::Tensor, poplar::Tensor>
maxAndArgMax(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor>
minAndArgMin(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});
///@}

/// Computes the K largest elements of each row, the largest first.
/// \param indices  set to their positions, UNSIGNED_INT, shape [rows, 1, K]
/// \param sort     accepted; the result is always sorted
/// \returns shape [rows, 1, K]
/// \throws poputil::poplibs_error if the shape or type does not fit, or if K is 0 or larger than a
///   row
poplar::Tensor topK(poplar::Graph &graph, const poplar::Tensor &input, poplar::Tensor &indices,
                    unsigned K, bool sort, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});

} // namespace popnn
