#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/Expr.hpp>
#include <popops/ExprOp.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

// Operations on the elements of tensors.
//
// Shapes broadcast as NumPy's do. Results are new tensors that follow the mapping of the larger
// operand (createOutputForElementWiseOp()). In place, the first operand gets the result, and must
// have its shape and type; operands that overlap it count with their old values. ...WithOutput
// writes to a tensor of the result's shape and type.
//
// An expression becomes one vertex class, which is compiled when it is first used, and kept on disk.
// Errors: poputil::poplibs_error if types or shapes do not fit; poplar::invalid_option.
// Options: enableGenerateCodelet, forceGenerateCodelet, enableVectorBroadcastOptimisations,
// enableExpressionOptimizations: true or false; they change nothing here.
namespace popops {

/// \param expr  over \p ts: `_1` is the first
poplar::Tensor map(poplar::Graph &graph, const expr::Expr &expr,
                   const std::vector<poplar::Tensor> &ts, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
poplar::Tensor map(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &t,
                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
poplar::Tensor map(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a,
                   const poplar::Tensor &b, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
poplar::Tensor map(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a,
                   const poplar::Tensor &b, const poplar::Tensor &c,
                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
/// One tensor for each expression, all over the same \p ts. The expressions are compiled together.
std::vector<poplar::Tensor> map(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                                const std::vector<poplar::Tensor> &ts,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {});

void mapInPlace(poplar::Graph &graph, const expr::Expr &expr, const std::vector<poplar::Tensor> &ts,
                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});
void mapInPlace(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &t,
                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});
void mapInPlace(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a,
                const poplar::Tensor &b, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});
void mapInPlace(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a,
                const poplar::Tensor &b, const poplar::Tensor &c, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});

void mapWithOutput(poplar::Graph &graph, const expr::Expr &expr,
                   const std::vector<poplar::Tensor> &ts, const poplar::Tensor &out,
                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
void mapWithOutput(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &t,
                   const poplar::Tensor &out, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
void mapWithOutput(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a,
                   const poplar::Tensor &b, const poplar::Tensor &out,
                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
void mapWithOutput(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a,
                   const poplar::Tensor &b, const poplar::Tensor &c, const poplar::Tensor &out,
                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});

/// Whether a constant of the host fits elements of a type: float and double go with FLOAT and HALF,
/// any other type with its own.
/// \throws std::runtime_error if it does not
template <typename constType> void checkTypes(poplar::Type elementType, constType) {
  const poplar::Type type = poplar::equivalent_device_type<constType>().value;
  if (elementType != type)
    throw std::runtime_error("a constant of type " + type.toString().cloneAsString() +
                             " does not go with elements of type " +
                             elementType.toString().cloneAsString());
}
template <> void checkTypes<float>(poplar::Type elementType, float constant);
template <> void checkTypes<double>(poplar::Type elementType, double constant);

namespace encoding {

template <typename T> using IfNumber = typename std::enable_if<std::is_arithmetic<T>::value>::type;

/// The constant of a two-operand function: one element on tile 0.
template <typename T>
poplar::Tensor constantOperand(poplar::Graph &graph, const poplar::Type &type, T value,
                               const poplar::DebugContext &debugContext) {
  checkTypes(type, value);
  const poplar::Tensor t = graph.addConstant(type, {}, value, debugContext);
  graph.setTileMapping(t, 0);
  return t;
}

} // namespace encoding

#define POPOPS_UNARY(name, op)                                                                     \
  inline poplar::Tensor name(                                                                      \
      poplar::Graph &graph, const poplar::Tensor &A, poplar::program::Sequence &prog,              \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    return map(graph, expr::UnaryOpType::op, A, prog, debugContext, options);                      \
  }                                                                                                \
  inline void name##WithOutput(poplar::Graph &graph, const poplar::Tensor &A,                      \
                               const poplar::Tensor &out, poplar::program::Sequence &prog,         \
                               const poplar::DebugContext &debugContext = {},                      \
                               const poplar::OptionFlags &options = {}) {                          \
    mapWithOutput(graph, expr::UnaryOpType::op, A, out, prog, debugContext, options);              \
  }
#define POPOPS_UNARY_IN_PLACE(name, op)                                                            \
  POPOPS_UNARY(name, op)                                                                           \
  inline void name##InPlace(                                                                       \
      poplar::Graph &graph, const poplar::Tensor &A, poplar::program::Sequence &prog,              \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    mapInPlace(graph, expr::UnaryOpType::op, A, prog, debugContext, options);                      \
  }

POPOPS_UNARY_IN_PLACE(abs, ABSOLUTE)
POPOPS_UNARY_IN_PLACE(asin, ASIN)
POPOPS_UNARY_IN_PLACE(bitwiseNot, BITWISE_NOT)
POPOPS_UNARY_IN_PLACE(cbrt, CBRT)
POPOPS_UNARY_IN_PLACE(ceil, CEIL)
POPOPS_UNARY_IN_PLACE(cos, COS)
POPOPS_UNARY_IN_PLACE(countLeadingZeros, COUNT_LEADING_ZEROS)
POPOPS_UNARY_IN_PLACE(erf, ERF)
POPOPS_UNARY_IN_PLACE(exp, EXPONENT)
POPOPS_UNARY_IN_PLACE(exp2, EXPONENT2)
POPOPS_UNARY_IN_PLACE(expm1, EXPONENT_MINUS_ONE)
POPOPS_UNARY_IN_PLACE(floor, FLOOR)
POPOPS_UNARY_IN_PLACE(geluErf, GELU_ERF)
POPOPS_UNARY_IN_PLACE(inv, INVERSE)
POPOPS_UNARY(isFinite, IS_FINITE)
POPOPS_UNARY_IN_PLACE(log, LOGARITHM)
POPOPS_UNARY_IN_PLACE(log1p, LOGARITHM_ONE_PLUS)
POPOPS_UNARY_IN_PLACE(logicalNot, LOGICAL_NOT)
POPOPS_UNARY_IN_PLACE(nearbyint, NEARBY_INT)
POPOPS_UNARY_IN_PLACE(neg, NEGATE)
POPOPS_UNARY_IN_PLACE(popcount, POPCOUNT)
POPOPS_UNARY_IN_PLACE(round, ROUND)
POPOPS_UNARY_IN_PLACE(rsqrt, RSQRT)
POPOPS_UNARY_IN_PLACE(sigmoid, SIGMOID)
POPOPS_UNARY_IN_PLACE(signum, SIGNUM)
POPOPS_UNARY_IN_PLACE(sin, SIN)
POPOPS_UNARY_IN_PLACE(sqrt, SQRT)
POPOPS_UNARY_IN_PLACE(square, SQUARE)
POPOPS_UNARY_IN_PLACE(tan, TAN)
POPOPS_UNARY_IN_PLACE(tanh, TANH)
#undef POPOPS_UNARY_IN_PLACE
#undef POPOPS_UNARY

#define POPOPS_BINARY(name, op)                                                                    \
  inline poplar::Tensor name(poplar::Graph &graph, const poplar::Tensor &A,                        \
                             const poplar::Tensor &B, poplar::program::Sequence &prog,             \
                             const poplar::DebugContext &debugContext = {},                        \
                             const poplar::OptionFlags &options = {}) {                            \
    return map(graph, expr::BinaryOpType::op, A, B, prog, debugContext, options);                  \
  }                                                                                                \
  inline void name##InPlace(poplar::Graph &graph, const poplar::Tensor &A,                         \
                            const poplar::Tensor &B, poplar::program::Sequence &prog,              \
                            const poplar::DebugContext &debugContext = {},                         \
                            const poplar::OptionFlags &options = {}) {                             \
    mapInPlace(graph, expr::BinaryOpType::op, A, B, prog, debugContext, options);                  \
  }                                                                                                \
  inline void name##WithOutput(                                                                    \
      poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,                      \
      const poplar::Tensor &out, poplar::program::Sequence &prog,                                  \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    mapWithOutput(graph, expr::BinaryOpType::op, A, B, out, prog, debugContext, options);          \
  }                                                                                                \
  template <typename constType, typename = encoding::IfNumber<constType>>                          \
  inline poplar::Tensor name(poplar::Graph &graph, const poplar::Tensor &A, const constType B,     \
                             poplar::program::Sequence &prog,                                      \
                             const poplar::DebugContext &debugContext = {},                        \
                             const poplar::OptionFlags &options = {}) {                            \
    return name(graph, A, encoding::constantOperand(graph, A.elementType(), B, debugContext),      \
                prog, debugContext, options);                                                      \
  }                                                                                                \
  template <typename constType, typename = encoding::IfNumber<constType>>                          \
  inline poplar::Tensor name(poplar::Graph &graph, const constType A, const poplar::Tensor &B,     \
                             poplar::program::Sequence &prog,                                      \
                             const poplar::DebugContext &debugContext = {},                        \
                             const poplar::OptionFlags &options = {}) {                            \
    return name(graph, encoding::constantOperand(graph, B.elementType(), A, debugContext), B,      \
                prog, debugContext, options);                                                      \
  }                                                                                                \
  template <typename constType, typename = encoding::IfNumber<constType>>                          \
  inline void name##InPlace(poplar::Graph &graph, const poplar::Tensor &A, const constType B,      \
                            poplar::program::Sequence &prog,                                       \
                            const poplar::DebugContext &debugContext = {},                         \
                            const poplar::OptionFlags &options = {}) {                             \
    name##InPlace(graph, A, encoding::constantOperand(graph, A.elementType(), B, debugContext),    \
                  prog, debugContext, options);                                                    \
  }                                                                                                \
  template <typename constType, typename = encoding::IfNumber<constType>>                          \
  inline void name##WithOutput(poplar::Graph &graph, const poplar::Tensor &A, const constType B,   \
                               const poplar::Tensor &out, poplar::program::Sequence &prog,         \
                               const poplar::DebugContext &debugContext = {},                      \
                               const poplar::OptionFlags &options = {}) {                          \
    name##WithOutput(graph, A, encoding::constantOperand(graph, A.elementType(), B, debugContext), \
                     out, prog, debugContext, options);                                            \
  }

POPOPS_BINARY(add, ADD)
POPOPS_BINARY(atan2, ATAN2)
POPOPS_BINARY(bitwiseAnd, BITWISE_AND)
POPOPS_BINARY(bitwiseOr, BITWISE_OR)
POPOPS_BINARY(bitwiseXnor, BITWISE_XNOR)
POPOPS_BINARY(bitwiseXor, BITWISE_XOR)
POPOPS_BINARY(div, DIVIDE)
POPOPS_BINARY(eq, EQUAL)
POPOPS_BINARY(gt, GREATER_THAN)
POPOPS_BINARY(gteq, GREATER_THAN_EQUAL)
POPOPS_BINARY(invStdDevToVariance, INV_STD_DEV_TO_VARIANCE)
POPOPS_BINARY(logicalAnd, LOGICAL_AND)
POPOPS_BINARY(logicalOr, LOGICAL_OR)
POPOPS_BINARY(lt, LESS_THAN)
POPOPS_BINARY(lteq, LESS_THAN_EQUAL)
POPOPS_BINARY(max, MAXIMUM)
POPOPS_BINARY(min, MINIMUM)
POPOPS_BINARY(mul, MULTIPLY)
POPOPS_BINARY(neq, NOT_EQUAL)
POPOPS_BINARY(pow, POWER)
POPOPS_BINARY(rem, REMAINDER)
POPOPS_BINARY(shiftLeft, SHIFT_LEFT)
POPOPS_BINARY(shiftRight, SHIFT_RIGHT)
POPOPS_BINARY(shiftRightSignExtend, SHIFT_RIGHT_SIGN_EXTEND)
POPOPS_BINARY(sub, SUBTRACT)
POPOPS_BINARY(varianceToInvStdDev, VARIANCE_TO_INV_STD_DEV)
#undef POPOPS_BINARY

#define POPOPS_TERNARY(name, op)                                                                   \
  inline poplar::Tensor name(                                                                      \
      poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,                      \
      const poplar::Tensor &C, poplar::program::Sequence &prog,                                    \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    return map(graph, expr::TernaryOpType::op, A, B, C, prog, debugContext, options);              \
  }                                                                                                \
  inline void name##InPlace(                                                                       \
      poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,                      \
      const poplar::Tensor &C, poplar::program::Sequence &prog,                                    \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    mapInPlace(graph, expr::TernaryOpType::op, A, B, C, prog, debugContext, options);              \
  }                                                                                                \
  inline void name##WithOutput(                                                                    \
      poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,                      \
      const poplar::Tensor &C, const poplar::Tensor &out, poplar::program::Sequence &prog,         \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    mapWithOutput(graph, expr::TernaryOpType::op, A, B, C, out, prog, debugContext, options);      \
  }

POPOPS_TERNARY(clamp, CLAMP)   ///< min(max(A, B), C)
POPOPS_TERNARY(select, SELECT) ///< A where C is true, else B
#undef POPOPS_TERNARY

// 1 / sqrt(variance + epsilon) and 1 / invStdDev^2 - epsilon. Epsilon is a float or a tensor of one
// element; the result has the source's type, or HALF or FLOAT.
poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src,
                                   const poplar::Tensor &epsilon, poplar::program::Sequence &prog,
                                   const poplar::Type dstType = poplar::HALF,
                                   const poplar::DebugContext &debugContext = {});
poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src,
                                   const float epsilon, poplar::program::Sequence &prog,
                                   const poplar::Type dstType = poplar::HALF,
                                   const poplar::DebugContext &debugContext = {});
poplar::Tensor invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src,
                                   const poplar::Tensor &epsilon, poplar::program::Sequence &prog,
                                   const poplar::Type dstType = poplar::FLOAT,
                                   const poplar::DebugContext &debugContext = {});
poplar::Tensor invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src,
                                   const float epsilon, poplar::program::Sequence &prog,
                                   const poplar::Type dstType = poplar::FLOAT,
                                   const poplar::DebugContext &debugContext = {});

} // namespace popops
