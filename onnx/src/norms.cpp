// Norms in inference. Statistics are computed in floats for all types of elements.
#include "expressions.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

#include <limits>
#include <numeric>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;
using poplar::Tensor;

/// Returns one value for each channel, broadcast against [batch][channels][field...]. A vector is a
/// batch of one channel.
Tensor perChannel(const Tensor &t, std::size_t rank) {
  Shape shape(std::max<std::size_t>(rank, 2) - 1, 1);
  shape[0] = t.numElements();
  return t.reshape(shape);
}

Tensor scalar(OperatorContext &c, double value) { return scalarConstant(c, poplar::FLOAT, value); }

/// Sums over dimensions, which remain with size 1, in floats.
Tensor sumOver(OperatorContext &c, const Tensor &in, const std::vector<std::size_t> &dims,
               popops::Operation op) {
  Shape kept = in.shape();
  for (const std::size_t d : dims)
    kept[d] = 1;
  return popops::reduce(c.graph, in, poplar::FLOAT, dims, op, c.prog, c.node.name).reshape(kept);
}

/// FLOAT elements with mean 0 and variance 1 over some dimensions, and the mean and inverse
/// deviation that made them so.
struct Whitened {
  Tensor elements, mean, inverseDeviation;
};

/// Both return the inverse of the deviation from \c _1, the variance, and \c _2, epsilon.
pe::Any inverseOfRoot() { return pe::Rsqrt(pe::Add(pe::_1, pe::_2)); }
pe::Any inverseOfMovedRoot() { return pe::Inv(pe::Add(pe::Sqrt(pe::_1), pe::_2)); }

/// Whitens elements. Computes the variance from differences to the mean.
Whitened whitened(OperatorContext &c, const Tensor &in, const std::vector<std::size_t> &dims,
                  float epsilon, const pe::Any &inverse = inverseOfRoot()) {
  std::size_t count = 1;
  for (const std::size_t d : dims)
    count *= in.dim(static_cast<unsigned>(d));
  const auto map = [&](const pe::Any &value, const std::vector<Tensor> &operands) {
    return popops::map(c.graph, value, operands, c.prog, c.node.name);
  };
  const Tensor n = scalar(c, static_cast<double>(count));
  const pe::Any quotient = pe::Divide(pe::_1, pe::_2);
  const Tensor mean = map(quotient, {sumOver(c, in, dims, popops::Operation::ADD), n});
  const Tensor centred = map(pe::Sub(asFloat(in, 1), pe::_2), {in, mean});
  const Tensor variance =
      map(quotient, {sumOver(c, centred, dims, popops::Operation::SQUARE_ADD), n});
  const Tensor factor = map(inverse, {variance, scalar(c, double{epsilon})});
  return {map(pe::Mul(pe::_1, pe::_2), {centred, factor}), mean, factor};
}

std::vector<std::size_t> dimensionsFrom(std::size_t first, std::size_t rank) {
  std::vector<std::size_t> dims(rank - first);
  std::iota(dims.begin(), dims.end(), first);
  return dims;
}

/// Outputs the white elements times a scale plus a bias, which may have another type.
void outputScaled(OperatorContext &c, const Tensor &white, const Tensor &scale,
                  const Tensor &bias) {
  const pe::Any result = pe::Add(pe::Mul(asFloat(white, 1), asFloat(scale, 2)), asFloat(bias, 3));
  c.output(popops::map(c.graph, ofType(result, deviceType(c.type())), {white, scale, bias}, c.prog,
                       c.node.name));
}

void batchNormalization(OperatorContext &c) {
  if (c.integer("training_mode", 0) != 0)
    c.fail("batch normalization in training is not supported");
  if (c.opset < 7)
    c.requireInteger("is_test", 1, 0);
  if (c.shape().size() > 2) // without a field, both values mean the same
    c.requireInteger("spatial", 1);
  c.withoutEffect({"spatial"});
  c.withoutEffect({"momentum"}); // only training uses it
  const Tensor in = c.tensor();
  if (in.numElements() == 0)
    return c.output(in);
  const std::size_t channels = in.rank() < 2 ? 1 : in.dim(1);
  const auto channel = [&](std::size_t i) {
    if (c.shape(i) != Shape{channels})
      c.fail("input " + std::to_string(i) + " of shape " + textOf(c.shape(i)) +
             " does not fit the channels of " + textOf(c.shape()));
    return perChannel(c.tensor(i), in.rank());
  };
  const Tensor weight = channel(1), mean = channel(3), variance = channel(4);
  const Tensor scale = popops::map(
      c.graph, pe::Divide(asFloat(weight, 1), pe::Sqrt(pe::Add(asFloat(variance, 2), pe::_3))),
      {weight, variance, scalar(c, double{c.real("epsilon", 1e-5f)})}, c.prog, c.node.name);
  const Tensor bias = channel(2);
  const pe::Any result =
      pe::Add(pe::Mul(pe::Sub(asFloat(in, 1), asFloat(mean, 2)), pe::_3), asFloat(bias, 4));
  c.output(popops::map(c.graph, ofType(result, in.elementType()), {in, mean, scale, bias}, c.prog,
                       c.node.name));
}

void instanceNormalization(OperatorContext &c) {
  const Tensor in = c.tensor();
  if (in.rank() < 2)
    c.fail("an input of shape " + textOf(in.shape()) + " has no channels");
  if (in.numElements() == 0)
    return c.output(in);
  outputScaled(c, whitened(c, in, dimensionsFrom(2, in.rank()), c.real("epsilon", 1e-5f)).elements,
               perChannel(c.tensor(1), in.rank()), perChannel(c.tensor(2), in.rank()));
}

/// Rounds the white elements to the type of the input before they are scaled. Source: the function
/// body of opset 17.
void layerNormalization(OperatorContext &c) {
  c.withoutEffect({"stash_type"}); // the lowering uses a type that is at least as precise
  const Tensor in = c.tensor();
  const unsigned first = c.axis(c.integer("axis", -1), in.rank());
  const auto dims = dimensionsFrom(first, in.rank());
  if (in.numElements() == 0) {
    Shape kept = in.shape();
    for (const std::size_t d : dims)
      kept[d] = 1;
    c.output(in);
    for (const std::size_t i : {1, 2})
      c.outputFilled(std::numeric_limits<double>::quiet_NaN(), kept, ElementType::Float, i);
    return;
  }
  const Whitened white = whitened(c, in, dims, c.real("epsilon", 1e-5f));
  Tensor out = popops::mul(c.graph, asType(c, white.elements, in.elementType()), c.tensor(1),
                           c.prog, c.node.name);
  if (c.has(2))
    out = popops::add(c.graph, out, c.tensor(2), c.prog, c.node.name);
  c.output(out);
  c.output(white.mean, ElementType::Float, 1);
  c.output(white.inverseDeviation, ElementType::Float, 2);
}

/// Normalizes over batch and field, unless the node names other axes. Source: the function body,
/// which adds epsilon to the root.
void meanVarianceNormalization(OperatorContext &c) {
  const Tensor in = c.tensor();
  const auto dims = c.axes(
      c.hasAttribute("axes") ? c.integers("axes") : std::vector<std::int64_t>{0, 2, 3}, in.rank());
  if (in.numElements() == 0)
    return c.output(in);
  c.output(
      asType(c, whitened(c, in, dims, 1e-9f, inverseOfMovedRoot()).elements, in.elementType()));
}

/// Normalizes each group of channels by its mean and variance. Source: opset 18; before opset 21
/// each group has a scale and a bias.
void groupNormalization(OperatorContext &c) {
  const Tensor in = c.tensor();
  c.withoutEffect({"stash_type"}); // the lowering uses a type that is at least as precise
  const auto groups = static_cast<std::size_t>(c.integer("num_groups", 1));
  if (in.rank() < 2 || groups == 0 || in.dim(1) % groups != 0)
    c.fail("channels of " + textOf(in.shape()) + " do not form " + std::to_string(groups) +
           " groups");
  if (in.numElements() == 0)
    return c.output(in);
  const Shape grouped = {in.dim(0), groups, in.numElements() / in.dim(0) / groups};
  const Tensor white =
      whitened(c, in.reshape(grouped), {2}, c.real("epsilon", 1e-5f)).elements.reshape(in.shape());
  const auto channel = [&](std::size_t i) {
    Tensor t = c.tensor(i);
    if (t.numElements() == groups) // one value for each group, which all of its channels share
      t = t.expand({1}).broadcast(static_cast<unsigned>(in.dim(1) / groups), 1).flatten();
    if (t.numElements() != in.dim(1))
      c.fail("input " + std::to_string(i) + " of shape " + textOf(c.shape(i)) +
             " fits neither the groups nor the channels of " + textOf(in.shape()));
    return perChannel(t, in.rank());
  };
  outputScaled(c, white, channel(1), channel(2));
}

/// Divides each row along an axis by the sum of its absolute values, or by the root of the sum of
/// its squares.
void lpNormalization(OperatorContext &c) {
  const Tensor in = c.tensor();
  const std::size_t axis = c.axis(c.integer("axis", -1), in.rank());
  const std::int64_t p = c.integer("p", 2);
  if (p != 1 && p != 2)
    c.fail("attribute 'p' = " + std::to_string(p) + " is not supported");
  if (in.numElements() == 0)
    return c.output(in);
  const Tensor x = asType(c, in, poplar::FLOAT);
  const auto op = p == 2 ? popops::Operation::SQUARE_ADD : popops::Operation::ADD;
  const Tensor sizes = p == 2 ? x : popops::abs(c.graph, x, c.prog, c.node.name);
  const Tensor sum =
      popops::reduce(c.graph, sizes, poplar::FLOAT, {axis}, op, c.prog, c.node.name).expand({axis});
  const pe::Any length = p == 2 ? pe::Any(pe::Sqrt(pe::_2)) : pe::Any(pe::_2);
  c.output(popops::map(c.graph, ofType(pe::Divide(pe::_1, length), in.elementType()), {x, sum},
                       c.prog, c.node.name));
}

} // namespace

void addNorms(OperatorTable &table) {
  table["LpNormalization"] = lpNormalization;
  table["BatchNormalization"] = batchNormalization;
  table["InstanceNormalization"] = instanceNormalization;
  table["GroupNormalization"] = groupNormalization;
  table["MeanVarianceNormalization"] = meanVarianceNormalization;
  table["LayerNormalization"] = layerNormalization;
}

} // namespace copse::onnx
