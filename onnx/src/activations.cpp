// Activation functions with parameters, and functions that are expressions of others: one pass over the elements each.
#include "operators.hpp"

#include <limits>
#include <popnn/LogSoftmax.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;
using pe::_1;
using pe::_2;

/// A number of the element type of the first input.
pe::Any number(const OperatorContext &c, float value) {
  if (c.type() == ElementType::Half)
    return pe::ConstHalf(value);
  return pe::Const(value);
}

using Formula = std::function<pe::Any(const OperatorContext &)>;

Lowering formula(Formula make) {
  return [make = std::move(make)](OperatorContext &c) {
    c.output(popops::map(c.graph, make(c), {c.tensor()}, c.prog, c.node.name));
  };
}

/// x where x > 0, else \p otherwise.
pe::Any positivePart(const OperatorContext &c, const pe::Expr &otherwise) {
  return pe::Select(_1, otherwise, pe::Gt(_1, number(c, 0)));
}

pe::Any elu(const OperatorContext &c) {
  return positivePart(c, pe::Mul(number(c, c.real("alpha", 1)), pe::Expm1(_1)));
}
pe::Any celu(const OperatorContext &c) {
  const float alpha = c.real("alpha", 1);
  return positivePart(c, pe::Mul(number(c, alpha), pe::Expm1(pe::Mul(_1, number(c, 1 / alpha)))));
}
pe::Any selu(const OperatorContext &c) {
  const float alpha = c.real("alpha", 1.67326319217681884765625f),
              gamma = c.real("gamma", 1.05070102214813232421875f);
  return pe::Mul(number(c, gamma), positivePart(c, pe::Mul(number(c, alpha), pe::Expm1(_1))));
}
pe::Any leakyRelu(const OperatorContext &c) {
  return positivePart(c, pe::Mul(_1, number(c, c.real("alpha", 0.01f))));
}
pe::Any thresholdedRelu(const OperatorContext &c) {
  return pe::Select(_1, number(c, 0), pe::Gt(_1, number(c, c.real("alpha", 1))));
}
pe::Any unitClamp(const OperatorContext &c, const pe::Expr &x) {
  return pe::Clamp(x, number(c, 0), number(c, 1));
}
pe::Any hardSigmoid(const OperatorContext &c) {
  return unitClamp(
      c, pe::Add(pe::Mul(_1, number(c, c.real("alpha", 0.2f))), number(c, c.real("beta", 0.5f))));
}
pe::Any hardSwish(const OperatorContext &c) {
  return pe::Mul(_1, unitClamp(c, pe::Add(pe::Mul(_1, number(c, 1 / 6.0f)), number(c, 0.5f))));
}
/// log(1 + exp(x)), in the form that does not overflow.
pe::Any softplus(const OperatorContext &c) {
  return pe::Add(pe::Max(_1, number(c, 0)), pe::Log1p(pe::Exp(pe::Neg(pe::Abs(_1)))));
}
pe::Any mish(const OperatorContext &c) { return pe::Mul(_1, pe::Tanh(softplus(c))); }
pe::Any softsign(const OperatorContext &c) {
  return pe::Divide(_1, pe::Add(number(c, 1), pe::Abs(_1)));
}
pe::Any shrink(const OperatorContext &c) {
  const float lambda = c.real("lambd", 0.5f), bias = c.real("bias", 0);
  return pe::Select(
      pe::Add(_1, number(c, bias)),
      pe::Select(pe::Sub(_1, number(c, bias)), number(c, 0), pe::Gt(_1, number(c, lambda))),
      pe::Lt(_1, number(c, -lambda)));
}
pe::Any acos(const OperatorContext &c) { return pe::Sub(number(c, 1.57079632679f), pe::Asin(_1)); }
pe::Any atan(const OperatorContext &c) { return pe::Atan2(_1, number(c, 1)); }
pe::Any sinh(const OperatorContext &c) {
  return pe::Mul(number(c, 0.5f), pe::Sub(pe::Expm1(_1), pe::Expm1(pe::Neg(_1))));
}
pe::Any cosh(const OperatorContext &c) {
  return pe::Mul(number(c, 0.5f), pe::Add(pe::Exp(_1), pe::Exp(pe::Neg(_1))));
}
pe::Any asinh(const OperatorContext &c) {
  const pe::Any size = pe::Abs(_1);
  return pe::Mul(pe::Signum(_1),
                 pe::Log(pe::Add(size, pe::Sqrt(pe::Add(pe::Square(_1), number(c, 1))))));
}
pe::Any acosh(const OperatorContext &c) {
  return pe::Log(pe::Add(_1, pe::Sqrt(pe::Sub(pe::Square(_1), number(c, 1)))));
}
pe::Any atanh(const OperatorContext &c) {
  return pe::Mul(number(c, 0.5f), pe::Sub(pe::Log1p(_1), pe::Log1p(pe::Neg(_1))));
}

void isInf(OperatorContext &c) {
  const bool positive = c.integer("detect_positive", 1) != 0,
             negative = c.integer("detect_negative", 1) != 0;
  pe::Any test = pe::IsInf(_1);
  if (!positive)
    test = pe::And(test, pe::Lt(_1, number(c, 0)));
  if (!negative)
    test = pe::And(test, pe::Gt(_1, number(c, 0)));
  c.output(popops::map(c.graph, test, {c.tensor()}, c.prog, c.node.name), ElementType::Bool);
}

void pRelu(OperatorContext &c) {
  const pe::Any zero = isReal(c.type()) ? number(c, 0) : pe::Any(pe::Const(0));
  c.output(popops::map(c.graph, pe::Select(_1, pe::Mul(_1, _2), pe::Gt(_1, zero)),
                       {c.tensor(0), c.tensor(1)}, c.prog, c.node.name));
}

void clip(OperatorContext &c) {
  poplar::Tensor result = c.tensor();
  const auto bound = [&](const char *name, std::size_t i, pe::BinaryOpType op) {
    if (c.has(i))
      result = popops::map(c.graph, op, result, c.tensor(i), c.prog, c.node.name);
    else if (c.hasAttribute(name))
      result = popops::map(c.graph, pe::BinaryOp(op, _1, number(c, c.real(name, 0))), {result},
                           c.prog, c.node.name);
  };
  bound("min", 1, pe::BinaryOpType::MAXIMUM);
  bound("max", 2, pe::BinaryOpType::MINIMUM);
  c.output(result);
}

using RowFunction = std::function<poplar::Tensor(OperatorContext &, const poplar::Tensor &)>;

/// Along one axis; before opset 13, along the product of that axis and those behind.
Lowering alongAxis(RowFunction function) {
  return [function = std::move(function)](OperatorContext &c) {
    const poplar::Tensor in = c.tensor();
    const bool flattens = c.opset < 13;
    const unsigned axis = c.axis(c.integer("axis", flattens ? 1 : -1), in.rank());
    if (flattens) {
      const poplar::Tensor rows = in.flatten(axis, in.rank()).flatten(0, axis);
      return c.output(function(c, axis == 0 ? in.flatten().expand({0}) : rows).reshape(in.shape()));
    }
    const unsigned last = in.rank() - 1;
    c.output(function(c, in.dimRoll(axis, last)).dimRoll(last, axis));
  };
}

poplar::Tensor softmax(OperatorContext &c, const poplar::Tensor &rows) {
  return popnn::softmaxStable(c.graph, rows, c.prog, c.node.name);
}
poplar::Tensor logSoftmax(OperatorContext &c, const poplar::Tensor &rows) {
  return popnn::logSoftmax(c.graph, rows, c.prog, c.node.name);
}

} // namespace

void addActivations(OperatorTable &table) {
  table["Elu"] = formula(elu);
  table["Celu"] = formula(celu);
  table["Selu"] = formula(selu);
  table["LeakyRelu"] = formula(leakyRelu);
  table["ThresholdedRelu"] = formula(thresholdedRelu);
  table["HardSigmoid"] = formula(hardSigmoid);
  table["HardSwish"] = formula(hardSwish);
  table["Softplus"] = formula(softplus);
  table["Softsign"] = formula(softsign);
  table["Mish"] = formula(mish);
  table["Shrink"] = formula(shrink);
  table["Acos"] = formula(acos);
  table["Atan"] = formula(atan);
  table["Sinh"] = formula(sinh);
  table["Cosh"] = formula(cosh);
  table["Asinh"] = formula(asinh);
  table["Acosh"] = formula(acosh);
  table["Atanh"] = formula(atanh);
  table["IsInf"] = isInf;
  table["PRelu"] = pRelu;
  table["Clip"] = clip;
  table["Softmax"] = alongAxis(softmax);
  table["LogSoftmax"] = alongAxis(logSoftmax);
}

} // namespace copse::onnx
