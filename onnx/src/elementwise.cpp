// Operators on single elements, which broadcast as NumPy's do.
#include "expressions.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;
using popops::expr::BinaryOpType;
using popops::expr::UnaryOpType;

Lowering unary(UnaryOpType op) {
  return [op](OperatorContext &c) {
    c.output(popops::map(c.graph, op, c.tensor(), c.prog, c.node.name));
  };
}

/// Returns the lowering of a rounding, which leaves integers unchanged.
Lowering rounding(UnaryOpType op) {
  return [op](OperatorContext &c) {
    c.output(isReal(c.type()) ? popops::map(c.graph, op, c.tensor(), c.prog, c.node.name)
                              : c.tensor());
  };
}

/// Returns the lowering of an operator with boolean results.
Lowering test(UnaryOpType op) {
  return [op](OperatorContext &c) {
    c.output(popops::map(c.graph, op, c.tensor(), c.prog, c.node.name), ElementType::Bool);
  };
}

Lowering binary(BinaryOpType op) {
  return [op](OperatorContext &c) {
    c.output(popops::map(c.graph, op, c.tensor(0), c.tensor(1), c.prog, c.node.name));
  };
}

Lowering comparison(BinaryOpType op) {
  return [op](OperatorContext &c) {
    c.output(popops::map(c.graph, op, c.tensor(0), c.tensor(1), c.prog, c.node.name),
             ElementType::Bool);
  };
}

/// Combines any number of inputs, in order.
using Combination = pe::Any (*)(const pe::Any &, const pe::Any &, const poplar::Type &);

poplar::Tensor folded(OperatorContext &c, Combination combine) {
  poplar::Tensor result = c.tensor(0);
  for (std::size_t i = 1; i < c.numInputs(); ++i)
    result = popops::map(c.graph, combine(pe::_1, pe::_2, result.elementType()),
                         {result, c.tensor(i)}, c.prog, c.node.name);
  return result;
}
pe::Any sumOf(const pe::Any &a, const pe::Any &b, const poplar::Type &) { return pe::Add(a, b); }

Lowering variadic(Combination combine) {
  return [combine](OperatorContext &c) { c.output(folded(c, combine)); };
}

/// Adds in floats, because the sum of halves may exceed the range of a half.
void mean(OperatorContext &c) {
  poplar::Tensor sum = c.tensor(0);
  for (std::size_t i = 1; i < c.numInputs(); ++i)
    sum = popops::map(c.graph, pe::Add(asFloat(sum, 1), asFloat(c.tensor(i), 2)),
                      {sum, c.tensor(i)}, c.prog, c.node.name);
  const poplar::Tensor count = scalarConstant(c, poplar::FLOAT, static_cast<double>(c.numInputs()));
  c.output(popops::map(c.graph, ofType(pe::Divide(asFloat(sum, 1), pe::_2), deviceType(c.type())),
                       {sum, count}, c.prog, c.node.name));
}

/// Raises integers to powers, exactly modulo 2^32, by squares and products from the exponent's
/// highest bit down. Negative exponents give 0, unless the base is 1 or -1.
poplar::Tensor integerPower(OperatorContext &c, const poplar::Tensor &base,
                            const poplar::Tensor &exponent) {
  const auto factor = [](int bit) {
    const pe::Any isSet =
        pe::NotEqual(pe::BitwiseAnd(pe::_2, pe::Const(static_cast<int>(1u << bit))), pe::Const(0));
    return pe::Any(pe::Select(pe::_1, pe::Const(1), isSet));
  };
  pe::Any result = factor(31);
  for (int bit = 30; bit >= 0; --bit)
    result = pe::Mul(pe::Square(result), factor(bit));
  if (exponent.elementType() == poplar::INT) {
    pe::Any holds = pe::Or(pe::Gte(pe::_2, pe::Const(0)), pe::Equal(pe::_1, pe::Const(1)));
    if (base.elementType() == poplar::INT)
      holds = pe::Or(holds, pe::Equal(pe::_1, pe::Const(-1)));
    result = pe::Select(result, pe::Const(0), holds);
  }
  return popops::map(c.graph, result, {base, exponent}, c.prog, c.node.name);
}

/// Raises integers to real powers: exactly for whole exponents, else by computing with reals.
poplar::Tensor mixedPower(OperatorContext &c, const poplar::Tensor &base,
                          const poplar::Tensor &exponent) {
  const poplar::Tensor whole =
      popops::map(c.graph, pe::Cast(pe::_1, poplar::INT), {exponent}, c.prog, c.node.name);
  const pe::Any real =
      pe::Cast(pe::Pow(pe::Cast(pe::_1, poplar::FLOAT), asFloat(exponent, 2)), base.elementType());
  const pe::Any isWhole = pe::Equal(pe::Cast(pe::_3, poplar::FLOAT), asFloat(exponent, 2));
  return popops::map(c.graph, pe::Select(pe::_4, real, isWhole),
                     {base, exponent, whole, integerPower(c, base, whole)}, c.prog, c.node.name);
}

/// Lowers Pow, with an exponent of any type.
void power(OperatorContext &c) {
  const poplar::Tensor base = c.tensor(0), exponent = c.tensor(1);
  if (!isReal(c.type()))
    return c.output(isReal(c.type(1)) ? mixedPower(c, base, exponent)
                                      : integerPower(c, base, exponent));
  const pe::Any result = pe::Pow(asFloat(base, 1), asFloat(exponent, 2));
  c.output(popops::map(c.graph, ofType(result, base.elementType()), {base, exponent}, c.prog,
                       c.node.name));
}

/// Computes the remainder with the sign of the divisor, as in Python, or of the dividend, as in C.
void remainder(OperatorContext &c) {
  const poplar::Tensor a = c.tensor(0), b = c.tensor(1);
  pe::Any result = pe::Rem(pe::_1, pe::_2);
  if (c.integer("fmod", 0) == 0 && a.elementType() != poplar::UNSIGNED_INT) {
    const pe::Any zero = pe::Const(0), rest = result;
    const pe::Any differs = pe::NotEqual(pe::Lt(rest, zero), pe::Lt(pe::_2, zero));
    result = pe::Select(pe::Add(rest, pe::_2), rest, pe::And(pe::NotEqual(rest, zero), differs));
  }
  c.output(popops::map(c.graph, result, {a, b}, c.prog, c.node.name));
}

/// Shifts bits. Shifts by the width of the type or more give 0.
void shift(OperatorContext &c) {
  const auto direction = c.attribute<std::string>("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    c.fail("direction is neither LEFT nor RIGHT");
  const pe::Any moved =
      direction == "LEFT" ? pe::Any(pe::Shl(pe::_1, pe::_2)) : pe::Any(pe::Shr(pe::_1, pe::_2));
  const pe::Any isShort = pe::Lt(pe::Cast(pe::_2, poplar::UNSIGNED_INT), pe::Const(32u));
  c.output(popops::map(c.graph, pe::Select(moved, pe::Const(0), isShort),
                       {c.tensor(0), c.tensor(1)}, c.prog, c.node.name));
}

void where(OperatorContext &c) {
  c.outputInRange(popops::map(c.graph, pe::TernaryOpType::SELECT, c.tensor(1), c.tensor(2),
                              c.tensor(0), c.prog, c.node.name),
                  c.type(1));
}

void castTo(OperatorContext &c, ElementType type) {
  c.withoutEffect({"saturate"}); // concerns floating-point types of eight bits
  const poplar::Tensor result = asType(c, c.tensor(), deviceType(type));
  c.output(result, type);
}

/// Returns the sign and keeps NaN. Unsigned numbers give 0 or 1.
void sign(OperatorContext &c) {
  const poplar::Tensor in = c.tensor();
  pe::Any result = pe::Signum(pe::_1);
  if (in.elementType() == poplar::UNSIGNED_INT)
    result = pe::Cast(pe::NotEqual(pe::_1, pe::Const(0)), poplar::UNSIGNED_INT);
  else if (isReal(c.type()))
    result = pe::Select(result, pe::_1, pe::Equal(pe::_1, pe::_1));
  c.output(popops::map(c.graph, result, {in}, c.prog, c.node.name));
}

void absolute(OperatorContext &c) {
  const poplar::Tensor in = c.tensor();
  c.output(in.elementType() == poplar::UNSIGNED_INT
               ? in
               : popops::map(c.graph, UnaryOpType::ABSOLUTE, in, c.prog, c.node.name));
}

void relu(OperatorContext &c) {
  c.outputInRange(popops::map(c.graph, reluOf(pe::_1), {c.tensor()}, c.prog, c.node.name));
}

/// Inverts bits. The upper half of 64 bits, which the device does not have, would be all ones.
void bitwiseNot(OperatorContext &c) {
  if (c.type() == ElementType::UInt64)
    c.fail("the result does not fit into the 32 bits that integers have on the device");
  c.output(popops::map(c.graph, UnaryOpType::BITWISE_NOT, c.tensor(), c.prog, c.node.name));
}

} // namespace

void addElementwiseOperators(OperatorTable &table) {
  for (const auto &[name, op] : {std::pair{"Cos", UnaryOpType::COS},
                                 {"Erf", UnaryOpType::ERF},
                                 {"Exp", UnaryOpType::EXPONENT},
                                 {"Log", UnaryOpType::LOGARITHM},
                                 {"Neg", UnaryOpType::NEGATE},
                                 {"Not", UnaryOpType::LOGICAL_NOT},
                                 {"Reciprocal", UnaryOpType::INVERSE},
                                 {"Sigmoid", UnaryOpType::SIGMOID},
                                 {"Sin", UnaryOpType::SIN},
                                 {"Asin", UnaryOpType::ASIN},
                                 {"Sqrt", UnaryOpType::SQRT},
                                 {"Tan", UnaryOpType::TAN},
                                 {"Tanh", UnaryOpType::TANH}})
    table[name] = unary(op);
  table["Ceil"] = rounding(UnaryOpType::CEIL);
  table["Floor"] = rounding(UnaryOpType::FLOOR);
  table["Round"] = rounding(UnaryOpType::NEARBY_INT);
  table["IsNaN"] = test(UnaryOpType::IS_NAN);
  table["Sign"] = sign;
  table["Abs"] = absolute;
  table["Relu"] = relu;
  for (const auto &[name, op] : {std::pair{"Add", BinaryOpType::ADD},
                                 {"Sub", BinaryOpType::SUBTRACT},
                                 {"Mul", BinaryOpType::MULTIPLY},
                                 {"Div", BinaryOpType::DIVIDE},
                                 {"And", BinaryOpType::LOGICAL_AND},
                                 {"Or", BinaryOpType::LOGICAL_OR}})
    table[name] = binary(op);
  for (const auto &[name, op] : {std::pair{"BitwiseAnd", BinaryOpType::BITWISE_AND},
                                 {"BitwiseOr", BinaryOpType::BITWISE_OR},
                                 {"BitwiseXor", BinaryOpType::BITWISE_XOR}})
    table[name] = binary(op);
  table["BitwiseNot"] = bitwiseNot;
  table["Xor"] = comparison(BinaryOpType::NOT_EQUAL);
  for (const auto &[name, op] : {std::pair{"Equal", BinaryOpType::EQUAL},
                                 {"Greater", BinaryOpType::GREATER_THAN},
                                 {"GreaterOrEqual", BinaryOpType::GREATER_THAN_EQUAL},
                                 {"Less", BinaryOpType::LESS_THAN},
                                 {"LessOrEqual", BinaryOpType::LESS_THAN_EQUAL}})
    table[name] = comparison(op);
  table["Max"] = variadic(larger);
  table["Min"] = variadic(smaller);
  table["Sum"] = variadic(sumOf);
  table["Mean"] = mean;
  table["Pow"] = power;
  table["Mod"] = remainder;
  table["BitShift"] = shift;
  table["Where"] = where;
  table["Cast"] = [](OperatorContext &c) {
    castTo(c, static_cast<ElementType>(c.integer("to", 0)));
  };
  table["CastLike"] = [](OperatorContext &c) { castTo(c, c.type(1)); };
}

} // namespace copse::onnx
