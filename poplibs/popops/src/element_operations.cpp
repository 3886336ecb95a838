#include "element_operations.hpp"

#include <cstring>
#include <map>

namespace copse::element_expr {
namespace {

using popops::expr::BinaryOpType;
using popops::expr::TernaryOpType;
using popops::expr::UnaryOpType;

// Instructions as in loops for the tile's arithmetic units: vectors of 64 bits where there are such
// instructions; functions without one are counted as short polynomials.
const std::map<UnaryOpType, Operation> kUnary = {
    {UnaryOpType::ABSOLUTE, {"absolute", "fhi", false, 1, 0}},
    {UnaryOpType::ASIN, {"asin", "fh", false, 0, 25}},
    {UnaryOpType::BITWISE_NOT, {"bitwiseNot", "iust", false, 1, 0}},
    {UnaryOpType::CBRT, {"cbrt", "fh", false, 0, 8}},
    {UnaryOpType::CEIL, {"ceil", "fh", false, 0, 2}},
    {UnaryOpType::COS, {"cos", "fh", false, 0, 18}},
    {UnaryOpType::COUNT_LEADING_ZEROS, {"countLeadingZeros", "iu", false, 0, 1}},
    {UnaryOpType::ERF, {"erf", "fh", false, 0, 16}},
    {UnaryOpType::EXPONENT, {"exponent", "fh", false, 0, 2}},
    {UnaryOpType::EXPONENT2, {"exponent2", "fh", false, 0, 2}},
    {UnaryOpType::EXPONENT_MINUS_ONE, {"exponentMinusOne", "fh", false, 0, 8}},
    {UnaryOpType::FLOOR, {"floor", "fh", false, 0, 2}},
    {UnaryOpType::GELU_ERF, {"geluErf", "fh", false, 0, 19}},
    {UnaryOpType::INVERSE, {"inverse", "fh", false, 0, 1}},
    {UnaryOpType::IS_FINITE, {"isFinite", "fh", true, 3, 0}},
    {UnaryOpType::IS_INF, {"isInf", "fh", true, 3, 0}},
    {UnaryOpType::IS_NAN, {"isNaN", "fh", true, 2, 0}},
    {UnaryOpType::LOGARITHM, {"logarithm", "fh", false, 0, 2}},
    {UnaryOpType::LOGARITHM_ONE_PLUS, {"logarithmOnePlus", "fh", false, 0, 8}},
    {UnaryOpType::LOGICAL_NOT, {"logicalNot", "b", true, 1, 0}},
    {UnaryOpType::NEARBY_INT, {"nearbyInt", "fh", false, 0, 2}},
    {UnaryOpType::NEGATE, {"negate", "fhi", false, 1, 0}},
    {UnaryOpType::POPCOUNT, {"popcount", "iu", false, 0, 1}},
    {UnaryOpType::RELU, {"relu", "fh", false, 1, 0}},
    {UnaryOpType::ROUND, {"round", "fh", false, 0, 3}},
    {UnaryOpType::RSQRT, {"rsqrt", "fh", false, 0, 2}},
    {UnaryOpType::SIGMOID, {"sigmoid", "fh", false, 0, 2}},
    {UnaryOpType::SIGNUM, {"signum", "fhi", false, 2, 0}},
    {UnaryOpType::SIN, {"sin", "fh", false, 0, 18}},
    {UnaryOpType::SQRT, {"sqrt", "fhi", false, 0, 2}},
    {UnaryOpType::SQUARE, {"square", "fhiu", false, 1, 0}},
    {UnaryOpType::TAN, {"tan", "fh", false, 0, 24}},
    {UnaryOpType::TANH, {"tanh", "fh", false, 0, 2}},
};

const std::map<BinaryOpType, Operation> kBinary = {
    {BinaryOpType::ADD, {"add", "fhiu", false, 1, 0}},
    {BinaryOpType::ATAN2, {"atan2", "fh", false, 0, 30}},
    {BinaryOpType::BITWISE_AND, {"bitwiseAnd", "iust", false, 1, 0}},
    {BinaryOpType::BITWISE_OR, {"bitwiseOr", "iust", false, 1, 0}},
    {BinaryOpType::BITWISE_XNOR, {"bitwiseXnor", "iust", false, 2, 0}},
    {BinaryOpType::BITWISE_XOR, {"bitwiseXor", "iust", false, 1, 0}},
    {BinaryOpType::DIVIDE, {"divide", "fhiu", false, 0, 2}},
    {BinaryOpType::EQUAL, {"equal", "fhiubst", true, 2, 0}},
    {BinaryOpType::GREATER_THAN, {"greaterThan", "fhiub", true, 2, 0}},
    {BinaryOpType::GREATER_THAN_EQUAL, {"greaterThanEqual", "fhiub", true, 2, 0}},
    {BinaryOpType::INV_STD_DEV_TO_VARIANCE, {"invStdDevToVariance", "fh", false, 0, 4}},
    {BinaryOpType::LESS_THAN, {"lessThan", "fhiub", true, 2, 0}},
    {BinaryOpType::LESS_THAN_EQUAL, {"lessThanEqual", "fhiub", true, 2, 0}},
    {BinaryOpType::LOGICAL_AND, {"logicalAnd", "b", true, 1, 0}},
    {BinaryOpType::LOGICAL_OR, {"logicalOr", "b", true, 1, 0}},
    {BinaryOpType::MAXIMUM, {"maximum", "fhiu", false, 1, 0}},
    {BinaryOpType::MINIMUM, {"minimum", "fhiu", false, 1, 0}},
    {BinaryOpType::MULTIPLY, {"multiply", "fhiu", false, 1, 0}},
    {BinaryOpType::NOT_EQUAL, {"notEqual", "fhiubst", true, 2, 0}},
    {BinaryOpType::POWER, {"power", "fh", false, 0, 6}},
    {BinaryOpType::REMAINDER, {"remainder", "fhiu", false, 0, 6}},
    {BinaryOpType::SHIFT_LEFT, {"shiftLeft", "iu", false, 0, 1}},
    {BinaryOpType::SHIFT_RIGHT, {"shiftRight", "iu", false, 0, 1}},
    {BinaryOpType::SHIFT_RIGHT_SIGN_EXTEND, {"shiftRightSignExtend", "i", false, 0, 1}},
    {BinaryOpType::SUBTRACT, {"subtract", "fhiu", false, 1, 0}},
    {BinaryOpType::VARIANCE_TO_INV_STD_DEV, {"varianceToInvStdDev", "fh", false, 0, 3}},
};

const std::map<TernaryOpType, Operation> kTernary = {
    {TernaryOpType::CLAMP, {"clamp", "fhiu", false, 1, 0}},
    {TernaryOpType::SELECT, {"select", "fhiub", false, 3, 0}},
};

char letterOf(const poplar::Type &type) {
  return type == poplar::FLOAT            ? 'f'
         : type == poplar::HALF           ? 'h'
         : type == poplar::INT            ? 'i'
         : type == poplar::UNSIGNED_INT   ? 'u'
         : type == poplar::BOOL           ? 'b'
         : type == poplar::SHORT          ? 's'
         : type == poplar::UNSIGNED_SHORT ? 't'
                                          : '?';
}

} // namespace

const Operation &operationOf(UnaryOpType op) { return kUnary.at(op); }
const Operation &operationOf(BinaryOpType op) { return kBinary.at(op); }
const Operation &operationOf(TernaryOpType op) { return kTernary.at(op); }

bool isAmong(const poplar::Type &type, const char *letters) {
  return std::strchr(letters, letterOf(type)) != nullptr;
}

} // namespace copse::element_expr
