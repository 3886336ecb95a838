// Losses of classifications: scores [batch][classes][field...] against a class for each
// [batch][field...].
#include "expressions.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

#include <numeric>
#include <popnn/LogSoftmax.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

/// Adds in floats, because the sum of halves may exceed the range of a half.
poplar::Tensor total(OperatorContext &c, const poplar::Tensor &t) {
  return popops::reduce(c.graph, t.flatten(), poplar::FLOAT, {0}, popops::Operation::ADD, c.prog,
                        c.node.name);
}

/// Returns the weight of each target's class, and 0 for the ignored class. The optional third input
/// has the weights.
poplar::Tensor weightsOf(OperatorContext &c, const poplar::Tensor &targets,
                         const poplar::Tensor &counts, const poplar::Type &type) {
  const poplar::Tensor ones = popops::cast(c.graph, counts, type, c.prog, c.node.name);
  if (!c.has(2))
    return ones;
  const poplar::Tensor weights = c.tensor(2).expand({1});
  const poplar::Tensor chosen =
      rowsAt(c, weights, rowIndices(c, {targets}, {weights.dim(0)}, {1}, {}));
  return popops::mul(c.graph, chosen.reshape(targets.shape()), ones, c.prog, c.node.name);
}

/// Computes the loss from logarithms of probabilities, which the first input has or from which they
/// are computed.
void outputLoss(OperatorContext &c, const poplar::Tensor &logarithms) {
  const poplar::Tensor given = popops::cast(c.graph, c.tensor(1), poplar::INT, c.prog, c.node.name);
  poplar::Tensor targets = given;
  poplar::Tensor counts;
  if (c.hasAttribute("ignore_index")) {
    const poplar::Tensor ignored =
        scalarConstant(c, poplar::INT, static_cast<double>(c.integer("ignore_index", 0)));
    counts = popops::neq(c.graph, given, ignored, c.prog, c.node.name);
    targets = popops::map(c.graph, pe::Select(pe::_1, pe::Const(0), pe::_2), {given, counts},
                          c.prog, c.node.name);
  } else {
    counts = popops::eq(c.graph, given, given, c.prog, c.node.name);
  }
  const poplar::Tensor weights = weightsOf(c, targets, counts, logarithms.elementType());
  const poplar::Tensor chosen =
      elementsAt(c, logarithms, targets.expand({1}), 1).reshape(targets.shape());
  const poplar::Tensor losses = popops::map(c.graph, pe::Neg(pe::Mul(pe::_1, pe::_2)),
                                            {chosen, weights}, c.prog, c.node.name);
  const auto reduction = c.attribute<std::string>("reduction", "mean");
  if (reduction == "none")
    return c.output(losses);
  if (reduction != "sum" && reduction != "mean")
    c.fail("reduction '" + reduction + "' is none of ONNX's");
  const poplar::Tensor sum = total(c, losses);
  const poplar::Tensor result =
      reduction == "sum" ? sum : popops::div(c.graph, sum, total(c, weights), c.prog, c.node.name);
  c.output(asType(c, result, losses.elementType()));
}

void requireElements(const OperatorContext &c) {
  if (c.shape(0).size() < 2 || elementsOf(c.shape(0)) == 0)
    c.fail("an input of shape " + textOf(c.shape(0)) + " has no classes");
}

void negativeLogLikelihood(OperatorContext &c) {
  requireElements(c);
  outputLoss(c, c.tensor(0));
}

void softmaxCrossEntropy(OperatorContext &c) {
  requireElements(c);
  const poplar::Tensor in = c.tensor(0);
  const unsigned last = in.rank() - 1;
  const poplar::Tensor logarithms =
      popnn::logSoftmax(c.graph, in.dimRoll(1, last), c.prog, c.node.name).dimRoll(last, 1);
  c.output(logarithms, c.type(), 1);
  outputLoss(c, logarithms);
}

} // namespace

void addLosses(OperatorTable &table) {
  table["NegativeLogLikelihoodLoss"] = negativeLogLikelihood;
  table["SoftmaxCrossEntropyLoss"] = softmaxCrossEntropy;
}

} // namespace copse::onnx
