#include "common_codelets.hpp"

#include "element_operations.hpp"

#include <algorithm>

namespace copse::element_expr {
namespace {

using namespace popops::expr;
using poplar::Type;

constexpr int kUnaryOps = static_cast<int>(UnaryOpType::TANH) + 1;
constexpr int kBinaryOps = static_cast<int>(BinaryOpType::VARIANCE_TO_INV_STD_DEV) + 1;
constexpr int kTernaryOps = static_cast<int>(TernaryOpType::SELECT) + 1;

/// Returns every way in which the operands can be whole tensors or single elements, with one tensor
/// at least.
std::vector<std::vector<Access>> accessesOf(std::size_t operands) {
  std::vector<std::vector<Access>> all;
  for (unsigned single = 0; single + 1 < 1u << operands; ++single) {
    std::vector<Access> accesses;
    for (std::size_t i = 0; i != operands; ++i)
      accesses.push_back((single >> i & 1) != 0 ? Access::Single : Access::Elements);
    all.push_back(accesses);
  }
  return all;
}

void addForms(const Expr &expr, const std::vector<Type> &types, std::vector<MapCodelet> &codelets) {
  const TypedNode typed = withTypes(expr, types);
  for (const auto &accesses : accessesOf(types.size())) {
    codelets.push_back(mapCodelet(typed, types, accesses, false));
    if (accesses.front() == Access::Elements && typed.type == types.front())
      codelets.push_back(mapCodelet(typed, types, accesses, true));
  }
}

bool isOperand(const TypedNode &node) { return node.kind == TypedNode::Kind::Operand; }

/// Layers end with a Relu of one operand, or of the sum of two or three. NaN stays NaN in these,
/// other than in RELU.
std::vector<Any> reluOfSums() {
  std::vector<Any> all;
  for (const Any &sum : {Any(_1), Any(Add(_1, _2)), Any(Add(Add(_1, _2), _3))})
    all.push_back(Select(Const(0), sum, Lt(sum, Const(0))));
  return all;
}
bool isReluOfSum(const TypedNode &node) {
  if (node.function != "select" || (node.type != poplar::FLOAT && node.type != poplar::HALF))
    return false;
  const std::vector<Type> types(3, node.type);
  const auto sums = reluOfSums();
  return std::any_of(sums.begin(), sums.end(),
                     [&](const Any &sum) { return withTypes(sum, types) == node; });
}

bool isByte(const Type &type) {
  return type == poplar::CHAR || type == poplar::SIGNED_CHAR || type == poplar::UNSIGNED_CHAR;
}

} // namespace

const std::vector<Type> &commonTypes() {
  static const std::vector<Type> kTypes = {poplar::FLOAT, poplar::HALF, poplar::INT,
                                           poplar::UNSIGNED_INT, poplar::BOOL};
  return kTypes;
}

std::vector<MapCodelet> commonCodelets(const Type &type) {
  std::vector<MapCodelet> codelets;
  for (int i = 0; i != kUnaryOps; ++i) {
    const auto op = static_cast<UnaryOpType>(i);
    if (isAmong(type, operationOf(op).types))
      addForms(UnaryOp(op, _1), {type}, codelets);
  }
  for (int i = 0; i != kBinaryOps; ++i) {
    const auto op = static_cast<BinaryOpType>(i);
    if (isAmong(type, operationOf(op).types)) {
      addForms(BinaryOp(op, _1, _2), {type, type}, codelets);
      addForms(BinaryOp(op, _1, _1), {type}, codelets);
    }
  }
  for (int i = 0; i != kTernaryOps; ++i) {
    const auto op = static_cast<TernaryOpType>(i);
    const Type last = op == TernaryOpType::SELECT ? poplar::BOOL : type;
    if (isAmong(type, operationOf(op).types))
      addForms(TernaryOp(op, _1, _2, _3), {type, type, last}, codelets);
  }
  addForms(_1, {type}, codelets);
  const bool isReal = type == poplar::FLOAT || type == poplar::HALF;
  if (isReal) {
    const auto sums = reluOfSums();
    for (std::size_t i = 0; i < sums.size(); ++i)
      addForms(sums[i], std::vector<Type>(i + 1, type), codelets);
  }
  for (const Type &to :
       {poplar::FLOAT, poplar::HALF, poplar::INT, poplar::UNSIGNED_INT, poplar::SHORT,
        poplar::UNSIGNED_SHORT, poplar::BOOL, poplar::SIGNED_CHAR, poplar::UNSIGNED_CHAR})
    if (isReal || !isByte(to))
      addForms(Cast(_1, to), {type}, codelets);
  return codelets;
}

std::string groupOf(const Type &type) {
  std::string name = type.toString().cloneAsString();
  std::replace(name.begin(), name.end(), ' ', '_');
  return "map_" + name;
}

std::string groupOf(const TypedNode &expression) {
  if (isReluOfSum(expression))
    return expression.type == poplar::FLOAT || expression.type == poplar::HALF
               ? groupOf(expression.type)
               : "";
  if (!std::all_of(expression.arguments.begin(), expression.arguments.end(), isOperand) ||
      expression.kind == TypedNode::Kind::Constant)
    return "";
  const Type type = isOperand(expression) ? expression.type : expression.arguments.front().type;
  const auto &types = commonTypes();
  return std::find(types.begin(), types.end(), type) == types.end() ? "" : groupOf(type);
}

} // namespace copse::element_expr
