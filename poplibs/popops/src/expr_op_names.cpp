#include "popops/ExprOp.hpp"

#include <ostream>

namespace popops::expr {

#define POPOPS_NAME(name)                                                                          \
  case Op::name:                                                                                   \
    return #name;

std::string toString(UnaryOpType op) {
  using Op = UnaryOpType;
  switch (op) {
    POPOPS_NAME(ABSOLUTE)
    POPOPS_NAME(ASIN)
    POPOPS_NAME(BITWISE_NOT)
    POPOPS_NAME(CBRT)
    POPOPS_NAME(CEIL)
    POPOPS_NAME(COS)
    POPOPS_NAME(COUNT_LEADING_ZEROS)
    POPOPS_NAME(ERF)
    POPOPS_NAME(EXPONENT)
    POPOPS_NAME(EXPONENT2)
    POPOPS_NAME(EXPONENT_MINUS_ONE)
    POPOPS_NAME(FLOOR)
    POPOPS_NAME(GELU_ERF)
    POPOPS_NAME(INVERSE)
    POPOPS_NAME(IS_FINITE)
    POPOPS_NAME(IS_INF)
    POPOPS_NAME(IS_NAN)
    POPOPS_NAME(LOGARITHM)
    POPOPS_NAME(LOGARITHM_ONE_PLUS)
    POPOPS_NAME(LOGICAL_NOT)
    POPOPS_NAME(NEARBY_INT)
    POPOPS_NAME(NEGATE)
    POPOPS_NAME(POPCOUNT)
    POPOPS_NAME(RELU)
    POPOPS_NAME(ROUND)
    POPOPS_NAME(RSQRT)
    POPOPS_NAME(SIGMOID)
    POPOPS_NAME(SIGNUM)
    POPOPS_NAME(SIN)
    POPOPS_NAME(SQRT)
    POPOPS_NAME(SQUARE)
    POPOPS_NAME(TAN)
    POPOPS_NAME(TANH)
  }
  return "?";
}

std::string toString(BinaryOpType op) {
  using Op = BinaryOpType;
  switch (op) {
    POPOPS_NAME(ADD)
    POPOPS_NAME(ATAN2)
    POPOPS_NAME(BITWISE_AND)
    POPOPS_NAME(BITWISE_OR)
    POPOPS_NAME(BITWISE_XNOR)
    POPOPS_NAME(BITWISE_XOR)
    POPOPS_NAME(DIVIDE)
    POPOPS_NAME(EQUAL)
    POPOPS_NAME(GREATER_THAN)
    POPOPS_NAME(GREATER_THAN_EQUAL)
    POPOPS_NAME(INV_STD_DEV_TO_VARIANCE)
    POPOPS_NAME(LESS_THAN)
    POPOPS_NAME(LESS_THAN_EQUAL)
    POPOPS_NAME(LOGICAL_AND)
    POPOPS_NAME(LOGICAL_OR)
    POPOPS_NAME(MAXIMUM)
    POPOPS_NAME(MINIMUM)
    POPOPS_NAME(MULTIPLY)
    POPOPS_NAME(NOT_EQUAL)
    POPOPS_NAME(POWER)
    POPOPS_NAME(REMAINDER)
    POPOPS_NAME(SHIFT_LEFT)
    POPOPS_NAME(SHIFT_RIGHT)
    POPOPS_NAME(SHIFT_RIGHT_SIGN_EXTEND)
    POPOPS_NAME(SUBTRACT)
    POPOPS_NAME(VARIANCE_TO_INV_STD_DEV)
  }
  return "?";
}

std::string toString(TernaryOpType op) {
  using Op = TernaryOpType;
  switch (op) {
    POPOPS_NAME(CLAMP)
    POPOPS_NAME(SELECT)
  }
  return "?";
}
#undef POPOPS_NAME

std::ostream &operator<<(std::ostream &out, UnaryOpType op) { return out << toString(op); }
std::ostream &operator<<(std::ostream &out, BinaryOpType op) { return out << toString(op); }
std::ostream &operator<<(std::ostream &out, TernaryOpType op) { return out << toString(op); }

} // namespace popops::expr
