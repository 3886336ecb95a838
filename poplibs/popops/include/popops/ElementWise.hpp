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
/// Operations of neural networks' building blocks: on elements, reductions, slices, sorting,
/// conversion. See User guide, 6.
namespace popops {

///@{

/// Computes an expression of the elements of \p ts, or one operation, as a new tensor that follows
/// the mapping of the larger operand (createOutputForElementWiseOp()). An expression becomes one
/// vertex class, which is compiled on first use and cached on disk.
///
/// \code
/// Tensor y = map(graph, expr::Const(2.0f) * expr::_1 + expr::_2, {a, b}, prog, "2a+b");
/// \endcode
/// - \p expr: `_1` stands for the first tensor of \p ts
/// - \p options: default none; enableGenerateCodelet, forceGenerateCodelet,
///   enableVectorBroadcastOptimisations and enableExpressionOptimizations are true or false and
///   change nothing here
///
/// The result has the shape to which all operands broadcast, as NumPy does it, and the expression's
/// type.
/// \throws poputil::poplibs_error if types or shapes do not fit
/// \throws poplar::invalid_option if an option or its value is unknown
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
///@}

/// Computes one tensor for each expression, all over the same \p ts. The expressions are compiled
/// together.
std::vector<poplar::Tensor> map(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                                const std::vector<poplar::Tensor> &ts,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {});

///@{

/// Computes an expression, or one operation, and writes it to the first operand, which must have
/// the result's shape and type and be writable. Operands that overlap the first one are read before
/// it is written. Otherwise as map().
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
///@}

///@{

/// Computes an expression, or one operation, and writes it to \p out, which must have the result's
/// shape and type and be writable. Otherwise as map().
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
///@}

/// Checks that a host constant may be converted to elements of a type: float and double to FLOAT
/// and HALF, any other type to its own device type only.
/// \throws std::runtime_error if it does not
template <typename constType> void checkTypes(poplar::Type elementType, constType) {
  const poplar::Type type = poplar::equivalent_device_type<constType>().value;
  if (elementType != type)
    throw std::runtime_error("a constant of type " + type.toString().cloneAsString() +
                             " does not go with elements of type " +
                             elementType.toString().cloneAsString());
}
/// Checks a float.
template <> void checkTypes<float>(poplar::Type elementType, float constant);
/// Checks a double.
template <> void checkTypes<double>(poplar::Type elementType, double constant);

namespace encoding {

template <typename T> using IfNumber = typename std::enable_if<std::is_arithmetic<T>::value>::type;

/// Returns the constant of a two-operand function: one element on tile 0.
template <typename T>
poplar::Tensor constantOperand(poplar::Graph &graph, const poplar::Type &type, T value,
                               const poplar::DebugContext &debugContext) {
  checkTypes(type, value);
  const poplar::Tensor t = graph.addConstant(type, {}, value, debugContext);
  graph.setTileMapping(t, 0);
  return t;
}

} // namespace encoding

/// Defines the functions of an operation of one operand; for this file only.
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
/// Defines these functions and the one in place; for this file only.
#define POPOPS_UNARY_IN_PLACE(name, op)                                                            \
  POPOPS_UNARY(name, op)                                                                           \
  inline void name##InPlace(                                                                       \
      poplar::Graph &graph, const poplar::Tensor &A, poplar::program::Sequence &prog,              \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {    \
    mapInPlace(graph, expr::UnaryOpType::op, A, prog, debugContext, options);                      \
  }

///@{

/// Computes a function of each element of \p A: the function alone gives a new tensor, ...InPlace
/// writes to \p A, ...WithOutput to \p out. Types of the result: as \p A; of isFinite BOOL. Halves
/// are computed in float and rounded once; integers wrap round.
/// - abs: the absolute value of FLOAT, HALF, INT; neg: -x; signum: -1, 0 or 1
/// - asin, cbrt, cos, erf, exp, log, sin, tan, tanh: the function of C++ of that name
/// - exp2: 2^x; expm1: exp(x) - 1; log1p: log(1 + x); inv: 1 / x; rsqrt: 1 / sqrt(x)
/// - ceil, floor; nearbyint: to nearest, ties to even; round: ties away from 0
/// - geluErf: x / 2 * (1 + erf(x / sqrt(2))); sigmoid: 1 / (1 + exp(-x))
/// - sqrt: also of INT, rounded down; square: also of INT and UNSIGNED_INT
/// - bitwiseNot, countLeadingZeros, popcount: of INT and UNSIGNED_INT; bitwiseNot also of integers
///   of 16 bits
/// - isFinite: of FLOAT or HALF; logicalNot: of BOOL
///
/// Throws as map() does.
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
///@}
#undef POPOPS_UNARY_IN_PLACE
#undef POPOPS_UNARY

/// Defines the functions of an operation of two operands; for this file only.
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

///@{

/// Computes a function of each pair of elements of \p A and \p B: the function alone gives a new
/// tensor, ...InPlace writes to \p A, ...WithOutput to \p out. One operand may be a number, which
/// becomes one element of the other's type on tile 0. Both operands have the same type: FLOAT,
/// HALF, INT or UNSIGNED_INT unless the list says otherwise; integers wrap round.
/// - add, sub, mul, max, min; max and min of a NaN and a number are the number
/// - div, rem: of integers by 0 give 0; rem has the sign of \p A
/// - atan2, pow: FLOAT and HALF
/// - eq, neq, lt, lteq, gt, gteq: the result is BOOL; operands may also be BOOL, and those of eq
///   and neq integers of 16 bits
/// - logicalAnd, logicalOr: BOOL
/// - bitwiseAnd, bitwiseOr, bitwiseXor, bitwiseXnor: integers of 16 or 32 bits
/// - shiftLeft, shiftRight: the lowest 5 bits of \p B count; shiftRight fills with zeros,
///   shiftRightSignExtend (INT) with the sign
/// - varianceToInvStdDev, invStdDevToVariance: see the functions with \p src below; \p B is epsilon
///
/// Throws as map() does; also std::runtime_error if a number does not fit the type, see
/// checkTypes().
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
///@}
#undef POPOPS_BINARY

/// Defines the functions of an operation of three operands; for this file only.
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

///@{

/// Computes a function of three operands: the function alone gives a new tensor, ...InPlace writes
/// to \p A, ...WithOutput to \p out.
/// - clamp: min(max(A, B), C), FLOAT, HALF, INT or UNSIGNED_INT
/// - select: A where the BOOL C is true, else B; A and B may also be BOOL
///
/// Throws as map() does.
POPOPS_TERNARY(clamp, CLAMP)
POPOPS_TERNARY(select, SELECT)
///@}
#undef POPOPS_TERNARY

///@{

/// Converts variances to inverse standard deviations and back: 1 / sqrt(src + epsilon) and 1 /
/// src^2 - epsilon, computed in float.
/// - \p src: FLOAT or HALF, any shape
/// - \p epsilon: a float or a tensor of one element
/// - \p dstType: the source's type, or HALF (default) or FLOAT (default) respectively
/// \throws poputil::poplibs_error if a type does not fit, or epsilon has not one element
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
///@}

} // namespace popops
