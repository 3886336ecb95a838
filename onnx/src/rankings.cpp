// Orders of elements, and elements that stand for indices.
#include "operators.hpp"
#include "row_indices.hpp"

#include <popnn/Loss.hpp>
#include <popops/Cast.hpp>
#include <popops/Encoding.hpp>
#include <popops/TopK.hpp>
#include <poputil/TileMapping.hpp>

namespace copse::onnx {
namespace {

void topK(OperatorContext &c) {
  const poplar::Tensor in = c.tensor(0);
  const unsigned axis = c.axis(c.integer("axis", -1), in.rank()), last = in.rank() - 1;
  const auto wanted = c.list("k", 1);
  if (wanted.size() != 1 || wanted[0] < 0 || static_cast<std::size_t>(wanted[0]) > in.dim(axis))
    c.fail("k is no number of elements of " + textOf(in.shape()) + " along axis " +
           std::to_string(axis));
  const bool largest = c.integer("largest", 1) != 0;
  const popops::TopKParams params(
      static_cast<unsigned>(wanted[0]), largest,
      largest ? popops::SortOrder::DESCENDING : popops::SortOrder::ASCENDING, true);
  const auto [elements, positions] =
      popops::topKWithPermutation(c.graph, c.prog, in.dimRoll(axis, last), params, c.node.name);
  c.output(elements.dimRoll(last, axis));
  c.output(popops::cast(c.graph, positions, poplar::INT, c.prog, c.node.name).dimRoll(last, axis),
           ElementType::Int64, 1);
}

void oneHot(OperatorContext &c) {
  const HostTensor &depth = c.known(1);
  if (depth.elements() != 1 || depth.at(0) < 1)
    c.fail("depth is no positive number");
  const auto classes = static_cast<std::size_t>(depth.at(0));
  const poplar::Tensor indices = nonNegative(c, c.tensor(0), classes), values = c.tensor(2);
  const poplar::Tensor rows =
      c.graph.addVariable(values.elementType(), {indices.numElements(), classes}, c.node.name);
  poputil::mapTensorLinearly(c.graph, rows);
  popops::encodeOneHot(c.graph, indices.flatten(), rows, c.prog, values[1], values[0], c.node.name);
  Shape shape = indices.shape();
  shape.push_back(classes);
  const auto last = static_cast<unsigned>(shape.size() - 1);
  c.output(rows.reshape(shape).dimRoll(last, c.axis(c.integer("axis", -1), shape.size())),
           c.type(2));
}

/// 1 at the first maximum along an axis. Before opset 13, all dimensions from the axis on are one.
void hardmax(OperatorContext &c) {
  const poplar::Tensor in = c.tensor(0);
  const bool flattens = c.opset < 13;
  const unsigned axis = c.axis(c.integer("axis", flattens ? 1 : -1), in.rank()),
                 last = in.rank() - 1;
  const poplar::Tensor rolled = flattens ? in : in.dimRoll(axis, last);
  const Shape shape = rolled.shape();
  const std::size_t width =
      elementsOf(Shape(shape.begin() + (flattens ? axis : last), shape.end()));
  const poplar::Tensor rows = rolled.reshape({in.numElements() / width, width});
  const poplar::Tensor result = c.graph.clone(rows, c.node.name);
  popops::encodeOneHot(c.graph, popnn::argMax(c.graph, rows, c.prog, c.node.name), result, c.prog,
                       c.node.name);
  const poplar::Tensor shaped = result.reshape(shape);
  c.output(flattens ? shaped : shaped.dimRoll(last, axis));
}

} // namespace

void addRankings(OperatorTable &table) {
  table["TopK"] = topK;
  table["OneHot"] = oneHot;
  table["Hardmax"] = hardmax;
}

} // namespace copse::onnx
