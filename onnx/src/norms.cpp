// Norms in inference.
#include "operators.hpp"

#include <numeric>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

pe::Any numberLike(const poplar::Tensor &t, float value) {
  if (t.elementType() == poplar::HALF)
    return pe::ConstHalf(value);
  return pe::Const(value);
}

/// One value for each channel, against [batch][channels][field...].
poplar::Tensor perChannel(const poplar::Tensor &t, std::size_t rank) {
  Shape shape(rank - 1, 1);
  shape[0] = t.numElements();
  return t.reshape(shape);
}

/// Mean over dimensions, which stay with size 1.
poplar::Tensor meanOver(OperatorContext &c, const poplar::Tensor &in,
                        const std::vector<std::size_t> &dims) {
  Shape kept = in.shape();
  for (const std::size_t d : dims)
    kept[d] = 1;
  const auto n = static_cast<float>(in.numElements()) / static_cast<float>(elementsOf(kept));
  const poplar::Tensor sum =
      popops::reduce(c.graph, in, in.elementType(), dims, popops::Operation::ADD, c.prog)
          .reshape(kept);
  return popops::map(c.graph, pe::Mul(pe::_1, numberLike(in, 1 / n)), {sum}, c.prog);
}

/// Elements with mean 0 and variance 1 over some dimensions, and what they were divided by.
struct Whitened {
  poplar::Tensor elements, mean, inverseDeviation;
};

/// The variance is computed from differences to the mean.
Whitened whitened(OperatorContext &c, const poplar::Tensor &in,
                  const std::vector<std::size_t> &dims, float epsilon) {
  const poplar::Tensor mean = meanOver(c, in, dims);
  const poplar::Tensor centred = popops::sub(c.graph, in, mean, c.prog, c.node.name);
  const poplar::Tensor variance =
      meanOver(c, popops::square(c.graph, centred, c.prog, c.node.name), dims);
  const poplar::Tensor inverse =
      popops::map(c.graph, pe::Rsqrt(pe::Add(pe::_1, numberLike(in, epsilon))), {variance}, c.prog,
                  c.node.name);
  return {popops::mul(c.graph, centred, inverse, c.prog, c.node.name), mean, inverse};
}

std::vector<std::size_t> dimensionsFrom(std::size_t first, std::size_t rank) {
  std::vector<std::size_t> dims(rank - first);
  std::iota(dims.begin(), dims.end(), first);
  return dims;
}

void batchNormalization(OperatorContext &c) {
  if (c.integer("training_mode", 0) != 0)
    c.fail("batch normalization in training is not supported");
  const poplar::Tensor in = c.tensor();
  const auto channel = [&](std::size_t i) { return perChannel(c.tensor(i), in.rank()); };
  const poplar::Tensor scale = popops::map(
      c.graph,
      pe::Divide(pe::_1, pe::Sqrt(pe::Add(pe::_2, numberLike(in, c.real("epsilon", 1e-5f))))),
      {channel(1), channel(4)}, c.prog, c.node.name);
  c.output(popops::map(c.graph, (pe::_1 - pe::_2) * pe::_3 + pe::_4,
                       {in, channel(3), scale, channel(2)}, c.prog, c.node.name));
}

void instanceNormalization(OperatorContext &c) {
  const std::size_t rank = c.shape().size();
  const poplar::Tensor white =
      whitened(c, c.tensor(), dimensionsFrom(2, rank), c.real("epsilon", 1e-5f)).elements;
  c.output(popops::map(c.graph, pe::_1 * pe::_2 + pe::_3,
                       {white, perChannel(c.tensor(1), rank), perChannel(c.tensor(2), rank)},
                       c.prog, c.node.name));
}

void layerNormalization(OperatorContext &c) {
  const std::size_t rank = c.shape().size(), first = c.axis(c.integer("axis", -1), rank);
  const Whitened white =
      whitened(c, c.tensor(), dimensionsFrom(first, rank), c.real("epsilon", 1e-5f));
  poplar::Tensor out = popops::mul(c.graph, white.elements, c.tensor(1), c.prog, c.node.name);
  if (c.has(2))
    out = popops::add(c.graph, out, c.tensor(2), c.prog, c.node.name);
  c.output(out);
  c.output(white.mean, c.type(), 1);
  c.output(white.inverseDeviation, c.type(), 2);
}

/// Over batch and field, unless the node says otherwise.
void meanVarianceNormalization(OperatorContext &c) {
  auto dims = c.axes(c.integers("axes"), c.shape().size());
  if (dims.empty())
    dims = {0, 2, 3};
  c.output(whitened(c, c.tensor(), dims, 1e-9f).elements);
}

/// Each group of channels has a mean and a variance.  Source: opset 18; scale and bias are those of groups before opset 21.
void groupNormalization(OperatorContext &c) {
  const poplar::Tensor in = c.tensor();
  const auto groups = static_cast<std::size_t>(c.integer("num_groups", 1));
  if (in.rank() < 3 || groups == 0 || in.dim(1) % groups != 0)
    c.fail("channels of " + textOf(in.shape()) + " do not form " + std::to_string(groups) +
           " groups");
  const Shape grouped = {in.dim(0), groups, in.numElements() / in.dim(0) / groups};
  const poplar::Tensor white =
      whitened(c, in.reshape(grouped), {2}, c.real("epsilon", 1e-5f)).elements.reshape(in.shape());
  const auto channel = [&](std::size_t i) {
    poplar::Tensor t = c.tensor(i);
    if (t.numElements() == groups) // one for each group: the same for all of its channels
      t = t.expand({1}).broadcast(static_cast<unsigned>(in.dim(1) / groups), 1).flatten();
    return perChannel(t, in.rank());
  };
  c.output(popops::map(c.graph, pe::_1 * pe::_2 + pe::_3, {white, channel(1), channel(2)}, c.prog,
                       c.node.name));
}

} // namespace

void addNorms(OperatorTable &table) {
  table["BatchNormalization"] = batchNormalization;
  table["InstanceNormalization"] = instanceNormalization;
  table["GroupNormalization"] = groupNormalization;
  table["MeanVarianceNormalization"] = meanVarianceNormalization;
  table["LayerNormalization"] = layerNormalization;
}

} // namespace copse::onnx
