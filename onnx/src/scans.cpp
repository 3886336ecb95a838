// Sums over neighbours, and triangles.
#include "expressions.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Pad.hpp>
#include <poputil/TileMapping.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

/// Moves a tensor along a dimension, up by \p distance or down if it is negative, and fills with
/// zeros.
poplar::Tensor moved(OperatorContext &c, const poplar::Tensor &t, std::ptrdiff_t distance,
                     unsigned axis) {
  return popops::pad(c.graph, t, distance, -distance, axis);
}

poplar::Tensor inFloats(OperatorContext &c, const poplar::Tensor &t) {
  return t.elementType() == poplar::HALF
             ? popops::cast(c.graph, t, poplar::FLOAT, c.prog, c.node.name)
             : t;
}

/// Adds at doubling distances, so that few programs run and integers stay exact. Halves are added
/// in floats.
void cumulativeSum(OperatorContext &c) {
  const HostTensor &axes = c.known(1);
  if (axes.elements() != 1)
    c.fail("axis is no scalar");
  const unsigned axis = c.axis(axes.integers[0], c.shape().size());
  if (elementsOf(c.shape()) == 0)
    return c.output(c.tensor(0));
  poplar::Tensor result = inFloats(c, c.tensor(0));
  const std::ptrdiff_t direction = c.integer("reverse", 0) != 0 ? -1 : 1;
  const auto size = static_cast<std::ptrdiff_t>(result.dim(axis));
  if (c.integer("exclusive", 0) != 0)
    result = moved(c, result, direction, axis);
  for (std::ptrdiff_t distance = 1; distance < size; distance *= 2)
    result = popops::add(c.graph, result, moved(c, result, direction * distance, axis), c.prog,
                         c.node.name);
  c.output(c.type() == ElementType::Half
               ? popops::cast(c.graph, result, poplar::HALF, c.prog, c.node.name)
               : result);
}

/// Divides each element by a power of the sum of squares of its neighbours in the channel
/// dimension, in floats.
void localResponse(OperatorContext &c) {
  const poplar::Tensor in = c.tensor(0);
  const auto size = static_cast<std::ptrdiff_t>(c.integer("size", 1));
  if (in.rank() < 2 || size < 1)
    c.fail("an input of shape " + textOf(in.shape()) + " and a size of " + std::to_string(size));
  if (in.numElements() == 0)
    return c.output(in);
  const poplar::Tensor squares = popops::square(c.graph, inFloats(c, in), c.prog, c.node.name);
  poplar::Tensor sum = squares;
  for (std::ptrdiff_t distance = -(size / 2); distance <= (size - 1) / 2; ++distance)
    if (distance != 0 && std::abs(distance) < static_cast<std::ptrdiff_t>(in.dim(1)))
      sum = popops::add(c.graph, sum, moved(c, squares, distance, 1), c.prog, c.node.name);
  const auto number = [&](float value) { return scalarConstant(c, poplar::FLOAT, double{value}); };
  const pe::Any divisor = pe::Pow(pe::Add(pe::_3, pe::Mul(pe::_2, pe::_4)), pe::_5);
  c.output(popops::map(c.graph, ofType(pe::Divide(asFloat(in, 1), divisor), in.elementType()),
                       {in, sum, number(c.real("bias", 1)),
                        number(c.real("alpha", 1e-4f) / static_cast<float>(size)),
                        number(c.real("beta", 0.75f))},
                       c.prog, c.node.name));
}

/// Keeps the elements on one side of a diagonal, and sets the others to zero.
void triangle(OperatorContext &c) {
  const poplar::Tensor in = c.tensor(0);
  if (in.rank() < 2)
    c.fail("the input is no matrix");
  const std::int64_t diagonal = c.has(1) ? c.known(1).integers.at(0) : 0;
  const bool upper = c.integer("upper", 1) != 0;
  const std::size_t rows = in.dim(in.rank() - 2), columns = in.dim(in.rank() - 1);
  if (in.numElements() == 0)
    return c.output(in);
  std::vector<unsigned char> keeps;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      const auto offset = static_cast<std::int64_t>(column) - static_cast<std::int64_t>(row);
      keeps.push_back(upper ? offset >= diagonal : offset <= diagonal);
    }
  const poplar::Tensor mask = c.graph.addConstant(poplar::BOOL, {rows, columns}, keeps.data());
  poputil::mapTensorLinearly(c.graph, mask);
  const poplar::Tensor zero = c.graph.addConstant(in.elementType(), {}, 0);
  c.graph.setTileMapping(zero, 0);
  c.outputInRange(
      popops::map(c.graph, pe::TernaryOpType::SELECT, in, zero, mask, c.prog, c.node.name));
}

void diagonalOnes(OperatorContext &c) {
  if (c.shape().size() != 2)
    c.fail("the input of shape " + textOf(c.shape()) + " is no matrix");
  const auto type = static_cast<ElementType>(c.integer("dtype", static_cast<int>(c.type())));
  HostTensor result = makeTensor(type, c.shape());
  const std::int64_t k = c.integer("k", 0);
  for (std::size_t row = 0; row < c.shape()[0]; ++row) {
    const std::int64_t column = static_cast<std::int64_t>(row) + k;
    if (column < 0 || column >= static_cast<std::int64_t>(c.shape()[1]))
      continue;
    const std::size_t position = row * c.shape()[1] + static_cast<std::size_t>(column);
    if (isReal(type))
      result.reals[position] = 1;
    else
      result.integers[position] = 1;
  }
  c.outputConstant(std::move(result));
}

} // namespace

void addScans(OperatorTable &table) {
  table["CumSum"] = cumulativeSum;
  table["LRN"] = localResponse;
  table["Trilu"] = triangle;
  table["EyeLike"] = diagonalOnes;
}

} // namespace copse::onnx
