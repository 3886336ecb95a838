// Operators that choose elements by indices.
#include "operators.hpp"
#include "row_indices.hpp"

#include <popops/DynamicSlice.hpp>
#include <poputil/Util.hpp>

namespace copse::onnx {
namespace {

Shape gatheredShape(const Shape &data, const Shape &indices, unsigned axis) {
  Shape shape(data.begin(), data.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + axis + 1, data.end());
  return shape;
}

/// Chooses parts by known indices, as a view.
poplar::Tensor chosen(OperatorContext &c, const poplar::Tensor &data, const HostTensor &indices,
                      unsigned axis) {
  std::vector<poplar::Tensor> parts;
  for (const std::int64_t index : indices.integers) {
    const unsigned at = c.axis(index, data.dim(axis)); // counts from the end if negative
    parts.push_back(data.slice(at, at + 1, axis));
  }
  return poplar::concat(parts, axis);
}

/// Chooses rows by indices that the device computes. Negative indices count from the end.
poplar::Tensor looked(OperatorContext &c, const poplar::Tensor &data, const poplar::Tensor &indices,
                      unsigned axis) {
  const poplar::Tensor rows = data.dimRoll(axis, 0);
  const poplar::Tensor table = rows.reshape({rows.dim(0), data.numElements() / rows.dim(0)});
  Shape shape = rows.shape();
  shape[0] = indices.numElements();
  return rowsAt(c, table, rowIndices(c, {indices}, {rows.dim(0)}, {1}, {}))
      .reshape(shape)
      .dimRoll(0, axis);
}

void requireElements(const OperatorContext &c, const poplar::Tensor &data) {
  if (data.numElements() == 0)
    c.fail("indices into a tensor of shape " + textOf(data.shape()) + ", which has no elements");
}

void gather(OperatorContext &c) {
  const unsigned axis = c.axis(c.integer("axis", 0), c.shape().size());
  const Shape shape = gatheredShape(c.shape(0), c.shape(1), axis);
  const HostTensor *indices = c.constant(1);
  if (elementsOf(shape) == 0)
    return c.outputFilled(0, shape, c.type());
  const poplar::Tensor data = c.tensor(0);
  requireElements(c, data);
  c.outputInRange((indices ? chosen(c, data, *indices, axis) : looked(c, data, c.tensor(1), axis))
                      .reshape(shape));
}

void gatherElements(OperatorContext &c) {
  const poplar::Tensor data = c.tensor(0);
  const unsigned axis = c.axis(c.integer("axis", 0), data.rank());
  if (elementsOf(c.shape(1)) == 0)
    return c.outputFilled(0, c.shape(1), c.type());
  requireElements(c, data);
  c.outputInRange(elementsAt(c, data, c.tensor(1), axis));
}

/// Lowers GatherND: chooses slices of trailing dimensions, each at a tuple of indices of leading
/// dimensions.
void gatherND(OperatorContext &c) {
  const Shape &data = c.shape(0), &indices = c.shape(1);
  const auto batch = static_cast<std::size_t>(c.integer("batch_dims", 0));
  if (indices.empty() || indices.back() == 0 || batch >= indices.size() ||
      batch + indices.back() > data.size())
    c.fail("indices " + textOf(indices) + " do not fit data " + textOf(data));
  const std::size_t joined = batch + indices.back();
  const auto split = data.begin() + static_cast<std::ptrdiff_t>(joined);
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), split, data.end());
  if (elementsOf(shape) == 0)
    return c.outputFilled(0, shape, c.type());
  const poplar::Tensor from = c.tensor(0);
  requireElements(c, from);
  const poplar::Tensor rows = tupleIndices(c, data, c.tensor(1), batch);
  const poplar::Tensor table =
      from.reshape({elementsOf(Shape(data.begin(), split)), elementsOf(Shape(split, data.end()))});
  c.outputInRange(rowsAt(c, table, rows).reshape(shape));
}

/// Writes rows of \p updates over rows of a copy of the first input, or combines them.
void outputScattered(OperatorContext &c, const poplar::Tensor &rows, std::size_t width,
                     const poplar::Tensor &updates) {
  if (updates.numElements() != rows.dim(0) * width)
    c.fail("updates " + textOf(updates.shape()) + " do not fit the indices " + textOf(c.shape(1)) +
           " of " + textOf(c.shape(0)));
  const poplar::Tensor result = poputil::duplicate(c.graph, c.tensor(0), c.prog, c.node.name);
  const poplar::Tensor table = result.reshape({result.numElements() / width, width}),
                       written = updates.reshape({rows.dim(0), 1, width});
  const auto reduction = c.attribute<std::string>("reduction", "none");
  if (reduction == "none")
    popops::multiUpdate(c.graph, table, written, rows, {0}, {1}, c.prog, {}, {}, c.node.name);
  else if (reduction == "add")
    popops::multiUpdateAdd(c.graph, table, written, rows, scalarConstant(c, table.elementType(), 1),
                           {0}, {1}, c.prog, {}, {}, c.node.name);
  else if (reduction == "mul")
    popops::multiUpdateMul(c.graph, table, written, rows, {0}, {1}, c.prog, {}, {}, c.node.name);
  else if (reduction == "max")
    popops::multiUpdateMax(c.graph, table, written, rows, {0}, {1}, c.prog, {}, {}, c.node.name);
  else
    c.fail("reduction '" + reduction + "' is not supported");
  c.output(result);
}

/// Returns true if there are no updates, or no elements to update. Nothing else has an effect then.
bool writesNothing(const OperatorContext &c) {
  if (elementsOf(c.shape(0)) > 0 && elementsOf(c.shape(2)) > 0)
    return false;
  c.inputWithoutEffect(1);
  c.withoutEffect({"reduction"});
  return true;
}

void scatterElements(OperatorContext &c) {
  const unsigned axis = c.axis(c.integer("axis", 0), c.shape().size());
  if (writesNothing(c))
    return c.outputInRange(c.tensor(0));
  outputScattered(c, elementIndices(c, c.shape(), c.tensor(1), axis), 1, c.tensor(2));
}

void scatterND(OperatorContext &c) {
  const Shape &data = c.shape(0), &indices = c.shape(1);
  if (indices.empty() || indices.back() > data.size())
    c.fail("indices " + textOf(indices) + " do not fit data " + textOf(data));
  if (writesNothing(c))
    return c.outputInRange(c.tensor(0));
  if (indices.back() == 0)
    c.fail("indices " + textOf(indices) + " name no elements");
  const auto joined = static_cast<std::ptrdiff_t>(indices.back());
  outputScattered(c, tupleIndices(c, data, c.tensor(1), 0),
                  elementsOf(Shape(data.begin() + joined, data.end())), c.tensor(2));
}

} // namespace

void addGathers(OperatorTable &table) {
  table["Gather"] = gather;
  table["GatherElements"] = gatherElements;
  table["GatherND"] = gatherND;
  table["Scatter"] = scatterElements; // name before opset 11
  table["ScatterElements"] = scatterElements;
  table["ScatterND"] = scatterND;
}

} // namespace copse::onnx
