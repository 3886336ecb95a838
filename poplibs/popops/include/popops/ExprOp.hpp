#pragma once

#include <iosfwd>
#include <poputil/VertexTemplates.hpp>
#include <string>

namespace popops {
/// Expressions of tensors' elements, for popops::map(): `_1 * Const(2.0f) + _2`, Tanh(_1), ...
namespace expr {

/// Operations of one operand, each computed by the function of its name in popops/ElementWise.hpp.
enum class UnaryOpType {
  ABSOLUTE,
  ASIN,
  BITWISE_NOT,
  CBRT,
  CEIL,
  COS,
  COUNT_LEADING_ZEROS,
  ERF,
  EXPONENT,
  EXPONENT2,
  EXPONENT_MINUS_ONE,
  FLOOR,
  GELU_ERF,
  INVERSE,
  IS_FINITE,
  IS_INF,
  IS_NAN,
  LOGARITHM,
  LOGARITHM_ONE_PLUS,
  LOGICAL_NOT,
  NEARBY_INT,
  NEGATE,
  POPCOUNT,
  RELU,
  ROUND,
  RSQRT,
  SIGMOID,
  SIGNUM,
  SIN,
  SQRT,
  SQUARE,
  TAN,
  TANH
};

/// Operations of two operands, each computed by the function of its name in popops/ElementWise.hpp.
enum class BinaryOpType {
  ADD,
  ATAN2,
  BITWISE_AND,
  BITWISE_OR,
  BITWISE_XNOR,
  BITWISE_XOR,
  DIVIDE,
  EQUAL,
  GREATER_THAN,
  GREATER_THAN_EQUAL,
  INV_STD_DEV_TO_VARIANCE,
  LESS_THAN,
  LESS_THAN_EQUAL,
  LOGICAL_AND,
  LOGICAL_OR,
  MAXIMUM,
  MINIMUM,
  MULTIPLY,
  NOT_EQUAL,
  POWER,
  REMAINDER,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  SHIFT_RIGHT_SIGN_EXTEND,
  SUBTRACT,
  VARIANCE_TO_INV_STD_DEV
};

/// Operations of three operands: clamp() and select() of popops/ElementWise.hpp.
enum class TernaryOpType { CLAMP, SELECT };

///@{

/// Returns or writes the enumerator's name.
std::string toString(UnaryOpType op);
std::string toString(BinaryOpType op);
std::string toString(TernaryOpType op);
std::ostream &operator<<(std::ostream &out, UnaryOpType op);
std::ostream &operator<<(std::ostream &out, BinaryOpType op);
std::ostream &operator<<(std::ostream &out, TernaryOpType op);
///@}

} // namespace expr
} // namespace popops

namespace poputil {

/// Writes a UnaryOpType as argument of a vertex type.
template <> struct VertexTemplateToString<popops::expr::UnaryOpType> {
  /// Returns its C++ name.
  static std::string to_string(popops::expr::UnaryOpType op) {
    return "popops::expr::UnaryOpType::" + popops::expr::toString(op);
  }
};
/// Writes a BinaryOpType as argument of a vertex type.
template <> struct VertexTemplateToString<popops::expr::BinaryOpType> {
  /// Returns its C++ name.
  static std::string to_string(popops::expr::BinaryOpType op) {
    return "popops::expr::BinaryOpType::" + popops::expr::toString(op);
  }
};
/// Writes a TernaryOpType as argument of a vertex type.
template <> struct VertexTemplateToString<popops::expr::TernaryOpType> {
  /// Returns its C++ name.
  static std::string to_string(popops::expr::TernaryOpType op) {
    return "popops::expr::TernaryOpType::" + popops::expr::toString(op);
  }
};

} // namespace poputil
