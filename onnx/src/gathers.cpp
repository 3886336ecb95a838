// Elements chosen by indices.
#include "operators.hpp"

#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>

namespace copse::onnx {
namespace {

Shape gatheredShape(const Shape &data, const Shape &indices, unsigned axis) {
  Shape shape(data.begin(), data.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + axis + 1, data.end());
  return shape;
}

/// Known indices choose parts of a view.
poplar::Tensor chosen(OperatorContext &c, const poplar::Tensor &data, const HostTensor &indices,
                      unsigned axis) {
  std::vector<poplar::Tensor> parts;
  for (const std::int64_t index : indices.integers) {
    const unsigned at = c.axis(index, data.dim(axis)); // also counts from the end
    parts.push_back(data.slice(at, at + 1, axis));
  }
  return poplar::concat(parts, axis);
}

/// Rows at indices that the device computes; negative ones count from the end.
poplar::Tensor looked(OperatorContext &c, const poplar::Tensor &data, const poplar::Tensor &indices,
                      unsigned axis) {
  namespace pe = popops::expr;
  const poplar::Tensor rows = data.dimRoll(axis, 0);
  const poplar::Tensor table = rows.reshape({rows.dim(0), data.numElements() / rows.dim(0)});
  const poplar::Tensor positive = popops::map(
      c.graph,
      pe::Select(pe::_1 + pe::Const(static_cast<int>(rows.dim(0))), pe::_1, pe::_1 < pe::Const(0)),
      {indices.flatten()}, c.prog, c.node.name);
  const poplar::Tensor offsets =
      popops::cast(c.graph, positive, poplar::UNSIGNED_INT, c.prog).expand({1});
  Shape shape = rows.shape();
  shape[0] = indices.numElements();
  return popops::multiSlice(c.graph, table, offsets, {0}, {1}, c.prog, {}, {}, c.node.name)
      .reshape(shape)
      .dimRoll(0, axis);
}

void gather(OperatorContext &c) {
  const unsigned axis = c.axis(c.integer("axis", 0), c.shape().size());
  const Shape shape = gatheredShape(c.shape(0), c.shape(1), axis);
  const HostTensor *indices = c.constant(1);
  if (const HostTensor *data = c.constant(0);
      data && indices && data->shape.size() == 1 && !isReal(data->type)) {
    HostTensor result{data->type, shape, {}, {}}; // shapes are computed so
    for (const std::int64_t index : indices->integers)
      result.integers.push_back(data->integers[c.axis(index, data->elements())]);
    return c.outputConstant(std::move(result));
  }
  if (elementsOf(shape) == 0)
    c.fail("no indices");
  const poplar::Tensor data = c.tensor(0);
  c.output((indices ? chosen(c, data, *indices, axis) : looked(c, data, c.tensor(1), axis))
               .reshape(shape));
}

} // namespace

void addGathers(OperatorTable &table) { table["Gather"] = gather; }

} // namespace copse::onnx
