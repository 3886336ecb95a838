// Reductions over axes.
#include "operators.hpp"
#include "row_indices.hpp"

#include <numeric>
#include <popnn/Loss.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;
using popops::Operation;
using Adjustment = std::function<poplar::Tensor(OperatorContext &, const poplar::Tensor &)>;

Adjustment applying(pe::UnaryOpType op) {
  return [op](OperatorContext &c, const poplar::Tensor &t) {
    return popops::map(c.graph, op, t, c.prog, c.node.name);
  };
}

/// \param before, after  what is done with the elements and with the results; may be empty
Lowering reduction(Operation op, Adjustment before = {}, Adjustment after = {}) {
  return [=](OperatorContext &c) {
    const poplar::Tensor in = c.tensor();
    std::vector<std::size_t> dims = c.axes(c.list("axes", 1), in.rank());
    if (dims.empty() && c.integer("noop_with_empty_axes", 0) != 0)
      return c.output(in);
    if (dims.empty()) {
      dims.resize(in.rank());
      std::iota(dims.begin(), dims.end(), std::size_t{0});
    }
    poplar::Tensor out = popops::reduce(c.graph, before ? before(c, in) : in, in.elementType(),
                                        dims, op, c.prog, c.node.name);
    if (c.integer("keepdims", 1) != 0) {
      Shape kept = in.shape();
      for (const std::size_t d : dims)
        kept[d] = 1;
      out = out.reshape(kept);
    }
    c.output(after ? after(c, out) : out);
  };
}

void reduceMean(OperatorContext &c) {
  reduction(Operation::ADD, {}, [](OperatorContext &of, const poplar::Tensor &sum) {
    const auto n = static_cast<float>(elementsOf(of.shape())) /
                   static_cast<float>(std::max<std::size_t>(1, sum.numElements()));
    return sum.elementType() == poplar::HALF
               ? popops::map(of.graph, pe::Divide(pe::_1, pe::ConstHalf(n)), {sum}, of.prog)
               : popops::map(of.graph, pe::Divide(pe::_1, pe::Const(n)), {sum}, of.prog);
  })(c);
}

/// The position of an extreme along an axis, the first of several unless the node wants the last.
Lowering extremePosition(bool largest) {
  return [largest](OperatorContext &c) {
    const poplar::Tensor in = c.tensor();
    const unsigned axis = c.axis(c.integer("axis", 0), in.rank());
    const bool fromBehind = c.integer("select_last_index", 0) != 0;
    const poplar::Tensor last = (fromBehind ? in.reverse(axis) : in).dimRoll(axis, in.rank() - 1);
    const poplar::Tensor rows = last.reshape({in.numElements() / in.dim(axis), in.dim(axis)});
    const poplar::Tensor found = largest ? popnn::argMax(c.graph, rows, c.prog, c.node.name)
                                         : popnn::argMin(c.graph, rows, c.prog, c.node.name);
    Shape shape = in.shape();
    if (c.integer("keepdims", 1) != 0)
      shape[axis] = 1;
    else
      shape.erase(shape.begin() + axis);
    poplar::Tensor position = popops::cast(c.graph, found, poplar::INT, c.prog, c.node.name);
    if (fromBehind)
      position = popops::sub(c.graph,
                             scalarConstant(c, poplar::INT, static_cast<double>(in.dim(axis)) - 1),
                             position, c.prog, c.node.name);
    c.output(position.reshape(shape), ElementType::Int64);
  };
}

} // namespace

void addReductions(OperatorTable &table) {
  const Adjustment absolute = applying(pe::UnaryOpType::ABSOLUTE),
                   root = applying(pe::UnaryOpType::SQRT),
                   exponent = applying(pe::UnaryOpType::EXPONENT),
                   logarithm = applying(pe::UnaryOpType::LOGARITHM);
  table["ReduceSum"] = reduction(Operation::ADD);
  table["ReduceMean"] = reduceMean;
  table["ReduceProd"] = reduction(Operation::MUL);
  table["ReduceMax"] = reduction(Operation::MAX);
  table["ReduceMin"] = reduction(Operation::MIN);
  table["ReduceSumSquare"] = reduction(Operation::SQUARE_ADD);
  table["ReduceL1"] = reduction(Operation::ADD, absolute);
  table["ReduceL2"] = reduction(Operation::SQUARE_ADD, {}, root);
  table["ReduceLogSum"] = reduction(Operation::ADD, {}, logarithm);
  table["ReduceLogSumExp"] = reduction(Operation::ADD, exponent, logarithm);
  table["ArgMax"] = extremePosition(true);
  table["ArgMin"] = extremePosition(false);
}

} // namespace copse::onnx
