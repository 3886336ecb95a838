#include "expressions.hpp"

#include <limits>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace copse::onnx {

namespace pe = popops::expr;

namespace {

bool isRealOnDevice(const poplar::Type &type) {
  return type == poplar::FLOAT || type == poplar::HALF;
}

/// Returns the first operand if the comparison holds or the first is NaN, else the second. The
/// comparison does not hold if the second is NaN.
pe::Any chosen(pe::BinaryOpType comparison, const pe::Any &a, const pe::Any &b,
               const poplar::Type &type) {
  const pe::Any first = pe::BinaryOp(comparison, a, b);
  if (!isRealOnDevice(type))
    return pe::Select(a, b, first);
  return pe::Select(a, b, pe::Or(first, pe::NotEqual(a, a)));
}

} // namespace

pe::Any asFloat(const poplar::Tensor &operand, unsigned number) {
  const pe::PlaceHolder place(number);
  if (operand.elementType() == poplar::FLOAT)
    return place;
  return pe::Cast(place, poplar::FLOAT);
}

pe::Any ofType(const pe::Any &value, const poplar::Type &type) {
  return type == poplar::FLOAT ? value : pe::Any(pe::Cast(value, type));
}

pe::Any larger(const pe::Any &a, const pe::Any &b, const poplar::Type &type) {
  return chosen(pe::BinaryOpType::GREATER_THAN, a, b, type);
}
pe::Any smaller(const pe::Any &a, const pe::Any &b, const poplar::Type &type) {
  return chosen(pe::BinaryOpType::LESS_THAN, a, b, type);
}

poplar::Tensor asType(OperatorContext &c, const poplar::Tensor &t, const poplar::Type &type) {
  return t.elementType() == type ? t : popops::cast(c.graph, t, type, c.prog, c.node.name);
}

pe::Any reluOf(const pe::Any &x) { return pe::Select(pe::Const(0), x, pe::Lt(x, pe::Const(0))); }

poplar::Tensor orderedKeys(OperatorContext &c, const poplar::Tensor &x, int nan) {
  // Removes the sign of a zero, because 0 and -0 differ in their bits.
  const pe::Any number = asFloat(x, 1);
  const poplar::Tensor bits =
      popops::map(
          c.graph,
          pe::Select(pe::Select(number, pe::Const(0.0f), pe::NotEqual(number, pe::Const(0.0f))),
                     pe::Const(std::numeric_limits<float>::quiet_NaN()), pe::Equal(number, number)),
          {x}, c.prog, c.node.name)
          .reinterpret(poplar::INT);
  constexpr int kNaN = 0x7FC00000, kMagnitude = 0x7FFFFFFF;
  return popops::map(c.graph,
                     pe::Select(pe::Const(nan),
                                pe::Select(pe::BitwiseXor(pe::_1, pe::Const(kMagnitude)), pe::_1,
                                           pe::Lt(pe::_1, pe::Const(0))),
                                pe::Equal(pe::_1, pe::Const(kNaN))),
                     {bits}, c.prog, c.node.name);
}

poplar::Tensor realsOfKeys(OperatorContext &c, const poplar::Tensor &keys,
                           const poplar::Type &type) {
  constexpr int kMagnitude = 0x7FFFFFFF; // a NaN as a real, like all keys beyond infinity's
  const poplar::Tensor reals = popops::map(c.graph,
                                           pe::Select(pe::BitwiseXor(pe::_1, pe::Const(kMagnitude)),
                                                      pe::_1, pe::Lt(pe::_1, pe::Const(0))),
                                           {keys}, c.prog, c.node.name)
                                   .reinterpret(poplar::FLOAT);
  return type == poplar::FLOAT
             ? reals
             : popops::map(c.graph, pe::Cast(pe::_1, type), {reals}, c.prog, c.node.name);
}

} // namespace copse::onnx
