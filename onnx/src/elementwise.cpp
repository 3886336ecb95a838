// Operators of single elements, which broadcast as NumPy's do.
#include "operators.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace copse::onnx {
namespace {

using popops::expr::BinaryOpType;
using popops::expr::UnaryOpType;

Lowering unary(UnaryOpType op) {
  return [op](OperatorContext &c) {
    c.output(popops::map(c.graph, op, c.tensor(), c.prog, c.node.name));
  };
}

/// Of reals; integers stay as they are.
Lowering rounding(UnaryOpType op) {
  return [op](OperatorContext &c) {
    c.output(isReal(c.type()) ? popops::map(c.graph, op, c.tensor(), c.prog, c.node.name)
                              : c.tensor());
  };
}

/// Yields booleans.
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

/// Of any number of inputs, from the first on.
poplar::Tensor folded(OperatorContext &c, BinaryOpType op) {
  poplar::Tensor result = c.tensor(0);
  for (std::size_t i = 1; i < c.numInputs(); ++i)
    result = popops::map(c.graph, op, result, c.tensor(i), c.prog, c.node.name);
  return result;
}
Lowering variadic(BinaryOpType op) {
  return [op](OperatorContext &c) { c.output(folded(c, op)); };
}

void mean(OperatorContext &c) {
  const poplar::Tensor sum = folded(c, BinaryOpType::ADD);
  const auto n = static_cast<float>(c.numInputs());
  c.output(popops::map(c.graph, popops::expr::_1 * popops::expr::Const(1 / n), {sum}, c.prog,
                       c.node.name));
}

poplar::Tensor asType(OperatorContext &c, const poplar::Tensor &t, const poplar::Type &type) {
  return t.elementType() == type ? t : popops::cast(c.graph, t, type, c.prog, c.node.name);
}

void power(OperatorContext &c) {
  // The exponent may have another type; integers have no power on the device.
  const poplar::Type type = isReal(c.type()) ? deviceType(c.type()) : poplar::FLOAT;
  const poplar::Tensor result =
      popops::map(c.graph, BinaryOpType::POWER, asType(c, c.tensor(0), type),
                  asType(c, c.tensor(1), type), c.prog, c.node.name);
  if (isReal(c.type()))
    return c.output(result);
  const poplar::Tensor rounded =
      popops::map(c.graph, UnaryOpType::ROUND, result, c.prog, c.node.name);
  c.output(asType(c, rounded, deviceType(c.type())));
}

void remainder(OperatorContext &c) {
  const poplar::Tensor a = c.tensor(0), b = c.tensor(1);
  const poplar::Tensor truncated =
      popops::map(c.graph, BinaryOpType::REMAINDER, a, b, c.prog, c.node.name);
  if (c.integer("fmod", 0) != 0 || a.elementType() == poplar::UNSIGNED_INT)
    return c.output(truncated);
  // Python's remainder has the sign of the divisor.
  const poplar::Tensor moved =
      popops::map(c.graph, BinaryOpType::ADD, truncated, b, c.prog, c.node.name);
  c.output(popops::map(c.graph, BinaryOpType::REMAINDER, moved, b, c.prog, c.node.name));
}

void shift(OperatorContext &c) {
  const auto direction = c.attribute<std::string>("direction", "");
  c.output(popops::map(c.graph,
                       direction == "LEFT" ? BinaryOpType::SHIFT_LEFT : BinaryOpType::SHIFT_RIGHT,
                       c.tensor(0), c.tensor(1), c.prog, c.node.name));
}

void where(OperatorContext &c) {
  c.output(popops::map(c.graph, popops::expr::TernaryOpType::SELECT, c.tensor(1), c.tensor(2),
                       c.tensor(0), c.prog, c.node.name),
           c.type(1));
}

void castTo(OperatorContext &c, ElementType type) {
  const poplar::Tensor result = asType(c, c.tensor(), deviceType(type));
  c.output(result, type);
}

/// The sign of a real is a real.
void sign(OperatorContext &c) {
  c.output(popops::map(c.graph, UnaryOpType::SIGNUM, c.tensor(), c.prog, c.node.name));
}

} // namespace

void addElementwiseOperators(OperatorTable &table) {
  for (const auto &[name, op] : {std::pair{"Abs", UnaryOpType::ABSOLUTE},
                                 {"Cos", UnaryOpType::COS},
                                 {"Erf", UnaryOpType::ERF},
                                 {"Exp", UnaryOpType::EXPONENT},
                                 {"Log", UnaryOpType::LOGARITHM},
                                 {"Neg", UnaryOpType::NEGATE},
                                 {"Not", UnaryOpType::LOGICAL_NOT},
                                 {"Reciprocal", UnaryOpType::INVERSE},
                                 {"Relu", UnaryOpType::RELU},
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
  for (const auto &[name, op] : {std::pair{"Add", BinaryOpType::ADD},
                                 {"Sub", BinaryOpType::SUBTRACT},
                                 {"Mul", BinaryOpType::MULTIPLY},
                                 {"Div", BinaryOpType::DIVIDE},
                                 {"And", BinaryOpType::LOGICAL_AND},
                                 {"Or", BinaryOpType::LOGICAL_OR}})
    table[name] = binary(op);
  table["Xor"] = comparison(BinaryOpType::NOT_EQUAL);
  for (const auto &[name, op] : {std::pair{"Equal", BinaryOpType::EQUAL},
                                 {"Greater", BinaryOpType::GREATER_THAN},
                                 {"GreaterOrEqual", BinaryOpType::GREATER_THAN_EQUAL},
                                 {"Less", BinaryOpType::LESS_THAN},
                                 {"LessOrEqual", BinaryOpType::LESS_THAN_EQUAL}})
    table[name] = comparison(op);
  table["Max"] = variadic(BinaryOpType::MAXIMUM);
  table["Min"] = variadic(BinaryOpType::MINIMUM);
  table["Sum"] = variadic(BinaryOpType::ADD);
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
