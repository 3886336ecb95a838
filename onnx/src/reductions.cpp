// Reductions over axes.
#include "expressions.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <popnn/Loss.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;
using poplar::Tensor;
using popops::Operation;

/// The elements and dimensions that a node reduces. Reals are reduced in floats, because sums of
/// halves may exceed the range of a half.
class Reduction {
public:
  Reduction(OperatorContext &c, std::vector<std::size_t> dims)
      : c_(c), in_(c.tensor()), dims_(std::move(dims)), kept_(in_.shape()) {
    for (const std::size_t d : dims_)
      kept_[d] = 1;
  }

  const Tensor &in() const { return in_; }
  const Shape &keptShape() const { return kept_; } ///< reduced dimensions have size 1
  /// Returns the type of results: FLOAT for reals.
  poplar::Type type() const { return isReal(c_.type()) ? poplar::FLOAT : in_.elementType(); }
  pe::Any element() const { return isReal(c_.type()) ? asFloat(in_, 1) : pe::Any(pe::_1); }
  double count() const {
    return static_cast<double>(in_.numElements()) / static_cast<double>(elementsOf(kept_));
  }

  /// \returns [keptShape()], FLOAT for sums and products of reals, else the type of \p t
  Tensor reduced(const Tensor &t, Operation op) const {
    const bool isExtreme = op == Operation::MAX || op == Operation::MIN;
    if (t.elementType() == poplar::UNSIGNED_INT)
      return reducedUnsigned(t, op, isExtreme);
    const bool widens = t.elementType() == poplar::HALF && !isExtreme;
    return popops::reduce(c_.graph, t, widens ? poplar::FLOAT : t.elementType(), dims_, op, c_.prog,
                          c_.node.name)
        .reshape(kept_);
  }
  Tensor map(const pe::Any &value, const std::vector<Tensor> &operands) const {
    return popops::map(c_.graph, value, operands, c_.prog, c_.node.name);
  }
  Tensor scalar(double value) const { return scalarConstant(c_, type(), value); }

private:
  /// Reduces UNSIGNED_INT as INT: sums and products have equal bits, and flipping the highest bit
  /// keeps the order.
  Tensor reducedUnsigned(const Tensor &t, Operation op, bool isExtreme) const {
    if (!isExtreme)
      return reduced(t.reinterpret(poplar::INT), op).reinterpret(poplar::UNSIGNED_INT);
    const pe::Any flipped = pe::BitwiseXor(pe::_1, pe::Const(0x80000000u));
    const Tensor found = reduced(map(flipped, {t}).reinterpret(poplar::INT), op);
    return map(flipped, {found.reinterpret(poplar::UNSIGNED_INT)});
  }

  OperatorContext &c_;
  Tensor in_;
  std::vector<std::size_t> dims_;
  Shape kept_;
};

Tensor sum(const Reduction &r) { return r.reduced(r.in(), Operation::ADD); }
Tensor product(const Reduction &r) { return r.reduced(r.in(), Operation::MUL); }
Tensor sumOfSquares(const Reduction &r) { return r.reduced(r.in(), Operation::SQUARE_ADD); }
Tensor mean(const Reduction &r) {
  return r.map(pe::Divide(pe::_1, pe::_2), {sum(r), r.scalar(r.count())});
}
Tensor sumOfSizes(const Reduction &r) {
  const bool hasSigns = r.type() != poplar::UNSIGNED_INT;
  return r.reduced(hasSigns ? r.map(pe::Abs(pe::_1), {r.in()}) : r.in(), Operation::ADD);
}

/// Computes a value in floats, and truncates it if results are integers.
Tensor fromFloat(const Reduction &r, const pe::Any &value, const std::vector<Tensor> &operands) {
  return r.map(ofType(value, r.type()), operands);
}

/// Returns the exact integer part of the square root of 32 unsigned bits. A float gives all but the
/// last bit.
Tensor integerRoot(const Reduction &r, const Tensor &squares) {
  const Tensor bits = squares.reinterpret(poplar::UNSIGNED_INT);
  const Tensor guess =
      r.map(pe::Cast(pe::Sqrt(pe::Cast(pe::_1, poplar::FLOAT)), poplar::UNSIGNED_INT), {bits});
  const pe::Any one = pe::Const(1u), most = pe::Const(0xFFFFu);
  // The guess is off by at most one.
  const pe::Any below = pe::Sub(pe::_2, one), above = pe::Add(pe::_2, one);
  const pe::Any isLow = pe::And(pe::Lt(pe::_2, most), pe::Lte(pe::Square(above), pe::_1));
  const pe::Any isHigh = pe::Or(pe::Gt(pe::_2, most), pe::Gt(pe::Square(pe::_2), pe::_1));
  return r.map(pe::Select(below, pe::Select(above, pe::_2, isLow), isHigh), {bits, guess})
      .reinterpret(squares.elementType());
}
Tensor length(const Reduction &r) {
  const Tensor squares = sumOfSquares(r);
  return r.type() == poplar::FLOAT ? r.map(pe::Sqrt(pe::_1), {squares}) : integerRoot(r, squares);
}

pe::Any floatOf(const Tensor &t) { return asFloat(t, 1); }
Tensor logarithmOfSum(const Reduction &r) {
  const Tensor all = sum(r);
  return fromFloat(r, pe::Log(floatOf(all)), {all});
}

/// Subtracts the largest element, unless it is infinite, before exp() is applied, so that nothing
/// overflows.
Tensor logarithmOfExponents(const Reduction &r) {
  const Tensor largest = r.reduced(r.in(), Operation::MAX);
  const Tensor shift = r.map(
      pe::Select(floatOf(largest), pe::Const(0.0f), pe::IsFinite(floatOf(largest))), {largest});
  const Tensor exponents = r.map(pe::Exp(pe::Sub(asFloat(r.in(), 1), pe::_2)), {r.in(), shift});
  return fromFloat(r, pe::Add(pe::Log(pe::_1), pe::_2),
                   {r.reduced(exponents, Operation::ADD), shift});
}

/// Returns the extreme, or NaN if an element is NaN. The reductions of popops drop NaN.
Tensor extreme(const Reduction &r, Operation op) {
  if (r.in().elementType() == poplar::BOOL)
    return r.reduced(r.in(), op == Operation::MAX ? Operation::LOGICAL_OR : Operation::LOGICAL_AND);
  const Tensor found = r.reduced(r.in(), op);
  if (r.type() != poplar::FLOAT)
    return found;
  const pe::Any x = r.element();
  const Tensor nans =
      r.reduced(r.map(pe::Select(pe::Const(0.0f), x, pe::Equal(x, x)), {r.in()}), Operation::ADD);
  return r.map(pe::Add(asFloat(found, 1), pe::_2), {found, nans});
}
Tensor largest(const Reduction &r) { return extreme(r, Operation::MAX); }
Tensor smallest(const Reduction &r) { return extreme(r, Operation::MIN); }

/// Returns the limits of a type, which are infinite for reals.
double limit(ElementType type, bool largest) {
  if (isReal(type))
    return largest ? std::numeric_limits<double>::infinity()
                   : -std::numeric_limits<double>::infinity();
  if (type == ElementType::Bool)
    return largest;
  const bool hasSign = type != ElementType::UInt64 && wrapped(-1, type) < 0;
  const double bits = 8.0 * static_cast<double>(std::min<std::size_t>(4, widthOf(type)));
  if (hasSign)
    return largest ? std::exp2(bits - 1) - 1 : -std::exp2(bits - 1);
  return largest ? std::exp2(bits) - 1 : 0;
}

/// \param ofNothing  returns the value of an empty reduction; NaN if only reals have one
Lowering reduction(Tensor (*reduce)(const Reduction &), double (*ofNothing)(ElementType)) {
  return [=](OperatorContext &c) {
    const std::size_t rank = c.shape().size();
    std::vector<std::size_t> dims = c.axes(c.list("axes", 1), rank);
    const bool keepsAll = c.integer("noop_with_empty_axes", 0) != 0;
    c.withoutEffect({"keepdims"}); // for a node that reduces no dimension
    if (dims.empty() && keepsAll)
      return c.outputInRange(c.tensor());
    if (dims.empty()) {
      dims.resize(rank);
      std::iota(dims.begin(), dims.end(), std::size_t{0});
    }
    std::sort(dims.begin(), dims.end());
    dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
    const Reduction r(c, dims);
    Shape shape = r.keptShape();
    if (c.integer("keepdims", 1) == 0)
      for (auto d = dims.rbegin(); d != dims.rend(); ++d)
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*d));
    if (r.in().numElements() == 0) {
      const double value = ofNothing(c.type());
      if (!isReal(c.type()) && !std::isfinite(value) && elementsOf(shape) > 0)
        c.fail("no integer is the result of no elements");
      return c.outputFilled(value, shape, c.type());
    }
    const Tensor result = reduce(r).reshape(shape);
    c.output(isReal(c.type()) && deviceType(c.type()) == poplar::HALF
                 ? popops::cast(c.graph, result, poplar::HALF, c.prog, c.node.name)
                 : result);
  };
}

double zero(ElementType) { return 0; }
double one(ElementType) { return 1; }
double notANumber(ElementType) { return std::numeric_limits<double>::quiet_NaN(); }
double logarithmOfNothing(ElementType) { return -std::numeric_limits<double>::infinity(); }
double lowestOf(ElementType type) { return limit(type, false); }
double highestOf(ElementType type) { return limit(type, true); }

/// Finds the position of an extreme along an axis: the first one, unless the node wants the last.
/// NaN is an extreme.
Lowering extremePosition(bool largest) {
  return [largest](OperatorContext &c) {
    const Shape in = c.shape();
    const unsigned axis = c.axis(c.integer("axis", 0), in.size());
    Shape shape = in;
    if (c.integer("keepdims", 1) != 0)
      shape[axis] = 1;
    else
      shape.erase(shape.begin() + axis);
    if (elementsOf(shape) == 0)
      return c.outputFilled(0, shape, ElementType::Int64);
    if (in[axis] == 0)
      c.fail("no elements have no extreme");
    const bool fromBehind = c.integer("select_last_index", 0) != 0;
    const auto last = static_cast<unsigned>(in.size() - 1);
    const Tensor keys = isReal(c.type()) ? orderedKeys(c, c.tensor(),
                                                       largest ? std::numeric_limits<int>::max()
                                                               : std::numeric_limits<int>::min())
                                         : c.tensor();
    const Tensor rows = (fromBehind ? keys.reverse(axis) : keys)
                            .dimRoll(axis, last)
                            .reshape({elementsOf(in) / in[axis], in[axis]});
    const Tensor found = largest ? popnn::argMax(c.graph, rows, c.prog, c.node.name)
                                 : popnn::argMin(c.graph, rows, c.prog, c.node.name);
    Tensor position = popops::cast(c.graph, found, poplar::INT, c.prog, c.node.name);
    if (fromBehind)
      position =
          popops::sub(c.graph, scalarConstant(c, poplar::INT, static_cast<double>(in[axis]) - 1),
                      position, c.prog, c.node.name);
    c.output(position.reshape(shape), ElementType::Int64);
  };
}

} // namespace

void addReductions(OperatorTable &table) {
  table["ReduceSum"] = reduction(sum, zero);
  table["ReduceMean"] = reduction(mean, notANumber);
  table["ReduceProd"] = reduction(product, one);
  table["ReduceMax"] = reduction(largest, lowestOf);
  table["ReduceMin"] = reduction(smallest, highestOf);
  table["ReduceSumSquare"] = reduction(sumOfSquares, zero);
  table["ReduceL1"] = reduction(sumOfSizes, zero);
  table["ReduceL2"] = reduction(length, zero);
  table["ReduceLogSum"] = reduction(logarithmOfSum, logarithmOfNothing);
  table["ReduceLogSumExp"] = reduction(logarithmOfExponents, logarithmOfNothing);
  table["ArgMax"] = extremePosition(true);
  table["ArgMin"] = extremePosition(false);
}

} // namespace copse::onnx
