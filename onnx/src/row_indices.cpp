#include "row_indices.hpp"

#include "host_array.hpp"

#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

/// Returns, for each element of \p shape, the contribution of its indices to a position in a tensor
/// with these strides.
std::vector<std::size_t> positionsOf(const Shape &shape,
                                     const std::vector<std::ptrdiff_t> &strides) {
  std::vector<std::size_t> positions;
  positions.reserve(elementsOf(shape));
  forEachPosition(shape, strides, 0, [&](std::size_t at) { positions.push_back(at); });
  return positions;
}

poplar::Tensor origin(OperatorContext &c, const std::vector<std::size_t> &origins) {
  const std::vector<int> values(origins.begin(), origins.end());
  const poplar::Tensor t = c.graph.addConstant(poplar::INT, {values.size()}, values.data());
  poputil::mapTensorLinearly(c.graph, t);
  return t;
}

} // namespace

poplar::Tensor scalarConstant(OperatorContext &c, const poplar::Type &type, double value) {
  const poplar::Tensor t = c.graph.addConstant(type, {}, value);
  c.graph.setTileMapping(t, 0);
  return t;
}

poplar::Tensor nonNegative(OperatorContext &c, const poplar::Tensor &indices, std::size_t size) {
  const poplar::Tensor integers =
      indices.elementType() == poplar::INT
          ? indices
          : popops::cast(c.graph, indices, poplar::INT, c.prog, c.node.name);
  return popops::map(
      c.graph, pe::Select(pe::Add(pe::_1, pe::_2), pe::_1, pe::Lt(pe::_1, pe::Const(0))),
      {integers, scalarConstant(c, poplar::INT, static_cast<double>(size))}, c.prog, c.node.name);
}

poplar::Tensor rowIndices(OperatorContext &c, const std::vector<poplar::Tensor> &components,
                          const Shape &sizes, const std::vector<std::ptrdiff_t> &strides,
                          const std::vector<std::size_t> &origins) {
  poplar::Tensor rows = origins.empty() ? poplar::Tensor() : origin(c, origins);
  for (std::size_t i = 0; i < components.size(); ++i) {
    const poplar::Tensor index = nonNegative(c, components[i].flatten(), sizes[i]);
    const poplar::Tensor stride = scalarConstant(c, poplar::INT, static_cast<double>(strides[i]));
    if (i > 0 || !origins.empty())
      rows = popops::map(c.graph, pe::Add(pe::_1, pe::Mul(pe::_2, pe::_3)), {rows, index, stride},
                         c.prog, c.node.name);
    else
      rows = strides[i] == 1 ? index : popops::mul(c.graph, index, stride, c.prog, c.node.name);
  }
  return popops::cast(c.graph, rows, poplar::UNSIGNED_INT, c.prog, c.node.name).expand({1});
}

poplar::Tensor rowsAt(OperatorContext &c, const poplar::Tensor &table, const poplar::Tensor &rows) {
  return popops::multiSlice(c.graph, table, rows, {0}, {1}, c.prog, {}, {}, c.node.name)
      .reshape({rows.dim(0), table.dim(1)});
}

poplar::Tensor elementIndices(OperatorContext &c, const Shape &data, const poplar::Tensor &indices,
                              unsigned axis) {
  if (indices.rank() != data.size())
    c.fail("indices " + textOf(indices.shape()) + " have another rank than data " + textOf(data));
  for (std::size_t d = 0; d < data.size(); ++d)
    if (d != axis && indices.dim(static_cast<unsigned>(d)) > data[d])
      c.fail("indices " + textOf(indices.shape()) + " are more than data " + textOf(data));
  auto strides = stridesOf(data);
  const std::ptrdiff_t along = strides[axis];
  strides[axis] = 0;
  return rowIndices(c, {indices}, {data[axis]}, {along}, positionsOf(indices.shape(), strides));
}

poplar::Tensor elementsAt(OperatorContext &c, const poplar::Tensor &data,
                          const poplar::Tensor &indices, unsigned axis) {
  return rowsAt(c, data.flatten().expand({1}), elementIndices(c, data.shape(), indices, axis))
      .reshape(indices.shape());
}

poplar::Tensor tupleIndices(OperatorContext &c, const Shape &data, const poplar::Tensor &indices,
                            std::size_t batch) {
  const unsigned last = indices.rank() - 1;
  const std::size_t length = indices.dim(last);
  if (batch + length > data.size() || batch > last)
    c.fail("indices " + textOf(indices.shape()) + " do not fit data " + textOf(data));
  const auto first = data.begin() + static_cast<std::ptrdiff_t>(batch);
  const Shape leading(data.begin(), first + static_cast<std::ptrdiff_t>(length));
  const auto strides = stridesOf(leading);
  std::vector<poplar::Tensor> components;
  for (std::size_t i = 0; i < length; ++i)
    components.push_back(indices.slice(i, i + 1, last).flatten());
  std::vector<std::size_t> origins;
  if (batch > 0) { // common dimensions are the first ones of both
    Shape tuples = indices.shape();
    tuples.pop_back();
    std::vector<std::ptrdiff_t> common(strides.begin(),
                                       strides.begin() + static_cast<std::ptrdiff_t>(batch));
    common.resize(tuples.size(), 0);
    origins = positionsOf(tuples, common);
  }
  return rowIndices(c, components, Shape(first, first + static_cast<std::ptrdiff_t>(length)),
                    {strides.begin() + static_cast<std::ptrdiff_t>(batch), strides.end()}, origins);
}

} // namespace copse::onnx
