// Operators that order elements, and operators whose elements represent indices.
#include "expressions.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

#include <limits>
#include <numeric>
#include <popnn/Loss.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/TopK.hpp>
#include <poputil/TileMapping.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

/// Lowers TopK. NaN counts as larger than all numbers, as in NumPy. Equal elements keep the order
/// of their positions.
void topK(OperatorContext &c) {
  const Shape in = c.shape();
  const unsigned axis = c.axis(c.integer("axis", -1), in.size());
  const auto last = static_cast<unsigned>(in.size() - 1);
  const auto wanted = c.list("k", 1);
  if (wanted.size() != 1 || wanted[0] < 0 || static_cast<std::size_t>(wanted[0]) > in[axis])
    c.fail("k is no number of elements of " + textOf(in) + " along axis " + std::to_string(axis));
  Shape shape = in;
  shape[axis] = static_cast<std::size_t>(wanted[0]);
  const bool largest = c.integer("largest", 1) != 0;
  c.withoutEffect({"sorted"}); // sorted elements are also valid where ONNX does not require them
  if (elementsOf(shape) == 0) {
    c.outputFilled(0, shape, c.type());
    return c.outputFilled(0, shape, ElementType::Int64, 1);
  }
  const poplar::Tensor keys =
      isReal(c.type()) ? orderedKeys(c, c.tensor(), std::numeric_limits<int>::max()) : c.tensor();
  const popops::TopKParams params(
      static_cast<unsigned>(wanted[0]), largest,
      largest ? popops::SortOrder::DESCENDING : popops::SortOrder::ASCENDING, true);
  const auto [elements, positions] =
      popops::topKWithPermutation(c.graph, c.prog, keys.dimRoll(axis, last), params, c.node.name);
  c.outputInRange((isReal(c.type()) ? realsOfKeys(c, elements, deviceType(c.type())) : elements)
                      .dimRoll(last, axis));
  c.output(popops::cast(c.graph, positions, poplar::INT, c.prog, c.node.name).dimRoll(last, axis),
           ElementType::Int64, 1);
}

/// Adds a last dimension with one value at the index and another elsewhere.
/// \param indices  INT
poplar::Tensor encoded(OperatorContext &c, const poplar::Tensor &indices, std::size_t classes,
                       const poplar::Tensor &on, const poplar::Tensor &off) {
  std::vector<int> numbers(classes);
  std::iota(numbers.begin(), numbers.end(), 0);
  const poplar::Tensor all = c.graph.addConstant(poplar::INT, {classes}, numbers.data());
  poputil::mapTensorLinearly(c.graph, all);
  return popops::map(c.graph, pe::Select(pe::_3, pe::_4, pe::Equal(pe::_1, pe::_2)),
                     {indices.expand({indices.rank()}), all, on.reshape({}), off.reshape({})},
                     c.prog, c.node.name);
}

/// Lowers OneHot. An index outside of the classes gives a row of zeros.
void oneHot(OperatorContext &c) {
  const HostTensor &depth = c.known(1);
  if (depth.elements() != 1 || !(depth.at(0) >= 0 && depth.at(0) < 1e9))
    c.fail("depth is no number of classes");
  const auto classes = static_cast<std::size_t>(depth.at(0));
  Shape shape = c.shape(0);
  const unsigned axis = c.axis(c.integer("axis", -1), shape.size() + 1);
  shape.insert(shape.begin() + axis, classes);
  if (elementsOf(shape) == 0)
    return c.outputFilled(0, shape, c.type(2));
  if (c.shape(2) != Shape{2})
    c.fail("values " + textOf(c.shape(2)) + " are not two");
  const poplar::Tensor values = c.tensor(2);
  c.outputInRange(encoded(c, nonNegative(c, c.tensor(0), classes), classes, values[1], values[0])
                      .dimRoll(static_cast<unsigned>(shape.size() - 1), axis),
                  c.type(2));
}

/// Puts 1 at the first maximum along an axis. Before opset 13, all dimensions from the axis on
/// count as one.
void hardmax(OperatorContext &c) {
  const poplar::Tensor in = c.tensor(0);
  if (in.numElements() == 0)
    return c.output(in);
  const bool flattens = c.opset < 13;
  const unsigned axis = c.axis(c.integer("axis", flattens ? 1 : -1), in.rank()),
                 last = in.rank() - 1;
  const poplar::Tensor keys = orderedKeys(c, in, std::numeric_limits<int>::max());
  const poplar::Tensor rolled = flattens ? keys : keys.dimRoll(axis, last);
  const Shape shape = rolled.shape();
  const std::size_t width =
      elementsOf(Shape(shape.begin() + (flattens ? axis : last), shape.end()));
  const poplar::Tensor found = popnn::argMax(
      c.graph, rolled.reshape({in.numElements() / width, width}), c.prog, c.node.name);
  const auto number = [&](double value) { return scalarConstant(c, in.elementType(), value); };
  const poplar::Tensor result =
      encoded(c, found.reinterpret(poplar::INT), width, number(1), number(0)).reshape(shape);
  c.output(flattens ? result : result.dimRoll(last, axis));
}

} // namespace

void addRankings(OperatorTable &table) {
  table["TopK"] = topK;
  table["OneHot"] = oneHot;
  table["Hardmax"] = hardmax;
}

} // namespace copse::onnx
