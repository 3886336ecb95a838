// Activation functions with parameters, and functions that are expressions of others. Each is one
// pass over the elements.
#include "expressions.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

#include <limits>
#include <popnn/LogSoftmax.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;
using pe::_1;
using pe::_2;

pe::Any number(float value) { return pe::Const(value); }

/// A function of one real, which is computed in floats and rounded once.
using Formula = std::function<pe::Any(const OperatorContext &, const pe::Any &x)>;

Lowering formula(Formula make) {
  return [make = std::move(make)](OperatorContext &c) {
    const poplar::Tensor in = c.tensor();
    c.output(popops::map(c.graph, ofType(make(c, asFloat(in, 1)), in.elementType()), {in}, c.prog,
                         c.node.name));
  };
}

/// Returns x where x > 0, else \p otherwise.
pe::Any positivePart(const pe::Any &x, const pe::Any &otherwise) {
  return pe::Select(x, otherwise, pe::Gt(x, number(0)));
}

pe::Any elu(const OperatorContext &c, const pe::Any &x) {
  return positivePart(x, pe::Mul(number(c.real("alpha", 1)), pe::Expm1(x)));
}
pe::Any celu(const OperatorContext &c, const pe::Any &x) {
  const float alpha = c.real("alpha", 1);
  return positivePart(x, pe::Mul(number(alpha), pe::Expm1(pe::Divide(x, number(alpha)))));
}
pe::Any selu(const OperatorContext &c, const pe::Any &x) {
  const bool rounds = c.opset < 6; // opsets before 6 have fewer digits
  const float alpha = c.real("alpha", rounds ? 1.6732f : 1.67326319217681884765625f),
              gamma = c.real("gamma", rounds ? 1.0507f : 1.05070102214813232421875f);
  return pe::Mul(number(gamma), positivePart(x, pe::Mul(number(alpha), pe::Expm1(x))));
}
pe::Any leakyRelu(const OperatorContext &c, const pe::Any &x) {
  return positivePart(x, pe::Mul(x, number(c.real("alpha", 0.01f))));
}
pe::Any thresholdedRelu(const OperatorContext &c, const pe::Any &x) {
  return pe::Select(number(0), x, pe::Lte(x, number(c.real("alpha", 1))));
}
pe::Any unitClamp(const pe::Any &x) {
  return smaller(larger(x, number(0), poplar::FLOAT), number(1), poplar::FLOAT);
}
pe::Any hardSigmoid(const OperatorContext &c, const pe::Any &x) {
  return unitClamp(
      pe::Add(pe::Mul(x, number(c.real("alpha", 0.2f))), number(c.real("beta", 0.5f))));
}
pe::Any hardSwish(const OperatorContext &, const pe::Any &x) {
  return pe::Mul(x, unitClamp(pe::Add(pe::Mul(x, number(1 / 6.0f)), number(0.5f))));
}
/// Returns log(1 + exp(x)), in the form that does not overflow.
pe::Any softplus(const OperatorContext &, const pe::Any &x) {
  return pe::Add(pe::Max(x, number(0)), pe::Log1p(pe::Exp(pe::Neg(pe::Abs(x)))));
}
pe::Any mish(const OperatorContext &c, const pe::Any &x) {
  return pe::Mul(x, pe::Tanh(softplus(c, x)));
}
pe::Any softsign(const OperatorContext &, const pe::Any &x) {
  return pe::Divide(x, pe::Add(number(1), pe::Abs(x)));
}
pe::Any shrink(const OperatorContext &c, const pe::Any &x) {
  const float lambda = c.real("lambd", 0.5f), bias = c.real("bias", 0);
  return pe::Select(pe::Add(x, number(bias)),
                    pe::Select(pe::Sub(x, number(bias)), number(0), pe::Gt(x, number(lambda))),
                    pe::Lt(x, number(-lambda)));
}
/// Returns the arc cosine. This formula avoids the difference of pi / 2 and the arc sine, which has
/// few digits near 1.
pe::Any acos(const OperatorContext &, const pe::Any &x) {
  return pe::Mul(number(2),
                 pe::Atan2(pe::Sqrt(pe::Sub(number(1), x)), pe::Sqrt(pe::Add(number(1), x))));
}
pe::Any atan(const OperatorContext &, const pe::Any &x) { return pe::Atan2(x, number(1)); }

/// Returns the square root of exp(|x|). The root does not overflow where half of exp(|x|) does not.
pe::Any rootOfExponent(const pe::Any &x) { return pe::Exp(pe::Mul(number(0.5f), pe::Abs(x))); }
pe::Any cosh(const OperatorContext &, const pe::Any &x) {
  const pe::Any root = rootOfExponent(x);
  return pe::Add(pe::Mul(pe::Mul(number(0.5f), root), root),
                 pe::Divide(pe::Divide(number(0.5f), root), root));
}
pe::Any sinh(const OperatorContext &, const pe::Any &x) {
  const pe::Any root = rootOfExponent(x);
  const pe::Any large = pe::Mul(pe::Signum(x), pe::Mul(pe::Mul(number(0.5f), root), root));
  const pe::Any small = pe::Mul(number(0.5f), pe::Sub(pe::Expm1(x), pe::Expm1(pe::Neg(x))));
  return pe::Select(large, small, pe::Gt(pe::Abs(x), number(20)));
}
/// Beyond this value, x * x + 1 and x * x - 1 equal x * x, and the functions equal log(2 * x).
constexpr float kLarge = 1e8f;
pe::Any logarithmOfTwice(const pe::Any &x) {
  return pe::Add(pe::Log(x), number(0.693147180559945f));
}
pe::Any asinh(const OperatorContext &, const pe::Any &x) {
  const pe::Any size = pe::Abs(x), square = pe::Square(x);
  const pe::Any root = pe::Sqrt(pe::Add(square, number(1)));
  const pe::Any small = pe::Log1p(pe::Add(size, pe::Divide(square, pe::Add(number(1), root))));
  const pe::Any value = pe::Select(logarithmOfTwice(size), small, pe::Gt(size, number(kLarge)));
  return pe::Select(value, pe::Neg(value), pe::Gte(x, number(0)));
}
pe::Any acosh(const OperatorContext &, const pe::Any &x) {
  const pe::Any more = pe::Sub(x, number(1));
  const pe::Any root = pe::Mul(pe::Sqrt(more), pe::Sqrt(pe::Add(x, number(1))));
  return pe::Select(logarithmOfTwice(x), pe::Log1p(pe::Add(more, root)), pe::Gt(x, number(kLarge)));
}
pe::Any atanh(const OperatorContext &, const pe::Any &x) {
  return pe::Mul(number(0.5f), pe::Sub(pe::Log1p(x), pe::Log1p(pe::Neg(x))));
}

/// Returns GELU (opset 20). The approximation replaces the error function by a hyperbolic tangent.
pe::Any gelu(const OperatorContext &c, const pe::Any &x) {
  const auto approximation = c.attribute<std::string>("approximate", "none");
  if (approximation != "none" && approximation != "tanh")
    c.fail("attribute 'approximate' = '" + approximation + "' is not supported");
  const pe::Any cube = pe::Mul(pe::Mul(x, x), x);
  const pe::Any inner = pe::Mul(number(0.797884560802865f), // the square root of 2 / pi
                                pe::Add(x, pe::Mul(number(0.044715f), cube)));
  const pe::Any distribution = approximation == "tanh"
                                   ? pe::Any(pe::Tanh(inner))
                                   : pe::Any(pe::Erf(pe::Mul(x, number(0.707106781186548f))));
  return pe::Mul(pe::Mul(number(0.5f), x), pe::Add(number(1), distribution));
}

void isInf(OperatorContext &c) {
  const bool positive = c.integer("detect_positive", 1) != 0,
             negative = c.integer("detect_negative", 1) != 0;
  pe::Any test = pe::IsInf(_1);
  if (!positive)
    test = pe::And(test, pe::Lt(_1, number(0)));
  if (!negative)
    test = pe::And(test, pe::Gt(_1, number(0)));
  c.output(popops::map(c.graph, test, {c.tensor()}, c.prog, c.node.name), ElementType::Bool);
}

void pRelu(OperatorContext &c) {
  c.output(popops::map(c.graph, pe::Select(_1, pe::Mul(_1, _2), pe::Gte(_1, pe::Const(0))),
                       {c.tensor(0), c.tensor(1)}, c.prog, c.node.name));
}

/// Clips elements and keeps NaN. If the bounds are in the wrong order, all elements become the
/// upper one.
void clip(OperatorContext &c) {
  const poplar::Type type = deviceType(c.type());
  poplar::Tensor result = c.tensor();
  const auto bound = [&](const char *name, std::size_t i, auto combine) {
    if (!c.has(i) && !c.hasAttribute(name))
      return;
    const poplar::Tensor limit =
        c.has(i) ? c.tensor(i) : scalarConstant(c, type, double{c.real(name, 0)});
    result = popops::map(c.graph, combine(_1, _2, type), {result, limit}, c.prog, c.node.name);
  };
  bound("min", 1, larger);
  bound("max", 2, smaller);
  c.outputInRange(result);
}

using RowFunction = std::function<poplar::Tensor(OperatorContext &, const poplar::Tensor &)>;

/// Applies \p function along one axis; before opset 13, along the product of this axis and all
/// later ones.
Lowering alongAxis(RowFunction function) {
  return [function = std::move(function)](OperatorContext &c) {
    const poplar::Tensor in = c.tensor();
    const bool flattens = c.opset < 13;
    const unsigned axis = c.axis(c.integer("axis", flattens ? 1 : -1), in.rank());
    if (in.numElements() == 0)
      return c.output(in);
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
  table["Gelu"] = formula(gelu);
  table["IsInf"] = isInf;
  table["PRelu"] = pRelu;
  table["Clip"] = clip;
  table["Softmax"] = alongAxis(softmax);
  table["LogSoftmax"] = alongAxis(logSoftmax);
}

} // namespace copse::onnx
