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

/// Mean 0 and variance 1 over dimensions. The variance is computed from differences to the mean.
poplar::Tensor whitened(OperatorContext &c, const std::vector<std::size_t> &dims, float epsilon) {
  const poplar::Tensor in = c.tensor();
  const poplar::Tensor centred =
      popops::sub(c.graph, in, meanOver(c, in, dims), c.prog, c.node.name);
  const poplar::Tensor variance =
      meanOver(c, popops::square(c.graph, centred, c.prog, c.node.name), dims);
  return popops::map(c.graph,
                     pe::Divide(pe::_1, pe::Sqrt(pe::Add(pe::_2, numberLike(in, epsilon)))),
                     {centred, variance}, c.prog, c.node.name);
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
  const poplar::Tensor white = whitened(c, dimensionsFrom(2, rank), c.real("epsilon", 1e-5f));
  c.output(popops::map(c.graph, pe::_1 * pe::_2 + pe::_3,
                       {white, perChannel(c.tensor(1), rank), perChannel(c.tensor(2), rank)},
                       c.prog, c.node.name));
}

void layerNormalization(OperatorContext &c) {
  if (c.wantsOutput(1) || c.wantsOutput(2))
    c.fail("the outputs of statistics are not supported");
  const std::size_t rank = c.shape().size(), first = c.axis(c.integer("axis", -1), rank);
  poplar::Tensor out =
      popops::mul(c.graph, whitened(c, dimensionsFrom(first, rank), c.real("epsilon", 1e-5f)),
                  c.tensor(1), c.prog, c.node.name);
  if (c.has(2))
    out = popops::add(c.graph, out, c.tensor(2), c.prog, c.node.name);
  c.output(out);
}

} // namespace

void addNorms(OperatorTable &table) {
  table["BatchNormalization"] = batchNormalization;
  table["InstanceNormalization"] = instanceNormalization;
  table["LayerNormalization"] = layerNormalization;
}

} // namespace copse::onnx
