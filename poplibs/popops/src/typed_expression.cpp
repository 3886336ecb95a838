#include "typed_expression.hpp"

#include "element_operations.hpp"
#include "poputil/exceptions.hpp"
#include "type_name.hpp"

#include <cmath>
#include <cstdio>
#include <optional>
#include <sstream>

namespace copse::element_expr {
namespace {

using namespace popops::expr;
using poplar::Type;
using poputil::poplibs_error;
using MaybeType = std::optional<Type>; // none: only constants, which take any type

std::string inOneLine(const Expr &expr) {
  std::ostringstream out;
  expr.print(out, 0, false);
  return out.str();
}

[[noreturn]] void fail(const Expr &at, const std::string &why) {
  throw poplibs_error("Error inferring types in expression: " + why + ", in " + inOneLine(at));
}

std::string realLiteral(double value, const char *ofType) {
  const float rounded = static_cast<float>(value);
  if (std::isnan(rounded))
    return std::string(ofType) + "(__builtin_nanf(\"\"))";
  if (std::isinf(rounded))
    return std::string(ofType) + (rounded < 0 ? "(-__builtin_inff())" : "(__builtin_inff())");
  char text[64];
  std::snprintf(text, sizeof text, "%s(%af)", ofType, static_cast<double>(rounded));
  return text;
}

std::string literalOf(const Const &c, Type type) {
  const bool isReal = c.getTypeTraits().isFloat;
  if (type == poplar::FLOAT)
    return realLiteral(c.getDataAsDouble(), "float");
  if (type == poplar::HALF)
    return realLiteral(c.getDataAsDouble(), "half");
  if (type == poplar::BOOL)
    return c.getDataAsDouble() != 0 ? "true" : "false";
  // Through 64 bits, of which the type's own remain: as device integers wrap.
  const auto value = isReal ? static_cast<std::int64_t>(c.getDataAsDouble())
                            : static_cast<std::int64_t>(c.getDataForUnsignedIntegral());
  return "static_cast<" + nameOf(type) + ">(" + std::to_string(value) + "ll)";
}

class Inference {
public:
  explicit Inference(const std::vector<Type> &types) : types_(types) {}

  MaybeType typeOf(const Expr &e) const {
    if (const auto *p = e.getAs<PlaceHolder>())
      return types_[operandOf(*p)];
    if (e.isA<Const>())
      return {};
    if (const auto *cast = e.getAs<popops::expr::Cast>())
      return cast->getRHSType();
    if (const auto *op = e.getAs<UnaryOp>())
      return resultOf(operationOf(op->getOpType()), typeOf(op->getArg()));
    if (const auto *op = e.getAs<BinaryOp>())
      return resultOf(operationOf(op->getOpType()), typeOfOperands(*op));
    const auto &op = *e.getAs<TernaryOp>();
    if (op.getOpType() == TernaryOpType::SELECT)
      return typeOfChoices(op);
    return agreed(op, agreed(op, typeOf(op.getArg0()), typeOf(op.getArg1())), typeOf(op.getArg2()));
  }

  /// \param wanted  what constants become
  TypedNode build(const Expr &e, Type wanted) const {
    if (const auto *p = e.getAs<PlaceHolder>()) {
      const unsigned i = operandOf(*p);
      return {.kind = TypedNode::Kind::Operand, .type = types_[i], .operand = i};
    }
    if (const auto *c = e.getAs<Const>())
      return {.kind = TypedNode::Kind::Constant, .type = wanted, .literal = literalOf(*c, wanted)};
    if (const auto *cast = e.getAs<popops::expr::Cast>())
      return buildCast(*cast);
    if (const auto *op = e.getAs<UnaryOp>())
      return operation(e, operationOf(op->getOpType()), typeOf(op->getArg()), wanted,
                       {&op->getArg()});
    if (const auto *op = e.getAs<BinaryOp>())
      return operation(e, operationOf(op->getOpType()), typeOfOperands(*op), wanted,
                       {&op->getLHS(), &op->getRHS()});
    const auto &op = *e.getAs<TernaryOp>();
    if (op.getOpType() == TernaryOpType::SELECT)
      return buildSelect(op, wanted);
    return operation(e, operationOf(op.getOpType()), typeOf(e), wanted,
                     {&op.getArg0(), &op.getArg1(), &op.getArg2()});
  }

private:
  unsigned operandOf(const PlaceHolder &p) const {
    if (p.getIndex() == 0 || p.getIndex() > types_.size())
      throw poplibs_error("Invalid placeholder _" + std::to_string(p.getIndex()) + ": there are " +
                          std::to_string(types_.size()) + " tensors");
    return p.getIndex() - 1;
  }

  MaybeType agreed(const Expr &e, MaybeType a, MaybeType b) const {
    if (a && b && *a != *b)
      fail(e, "operands of types " + nameOf(*a) + " and " + nameOf(*b));
    return a ? a : b;
  }

  static bool isOfVariance(const BinaryOp &op) {
    return op.getOpType() == BinaryOpType::VARIANCE_TO_INV_STD_DEV ||
           op.getOpType() == BinaryOpType::INV_STD_DEV_TO_VARIANCE;
  }

  /// Returns the operands' type. An epsilon may have a type of its own.
  MaybeType typeOfOperands(const BinaryOp &op) const {
    const MaybeType a = typeOf(op.getLHS()), b = typeOf(op.getRHS());
    return isOfVariance(op) && a ? a : agreed(op, a, b);
  }

  /// Returns the choices' type. Two constants have the types that the host gave them.
  MaybeType typeOfChoices(const TernaryOp &select) const {
    const auto ownType = [&](const Expr &e) {
      const auto *c = e.getAs<Const>();
      return c != nullptr ? MaybeType(c->getType()) : typeOf(e);
    };
    const MaybeType a = typeOf(select.getArg0()), b = typeOf(select.getArg1());
    return a || b ? agreed(select, a, b)
                  : agreed(select, ownType(select.getArg0()), ownType(select.getArg1()));
  }

  static MaybeType resultOf(const Operation &op, MaybeType operands) {
    return op.givesBool ? MaybeType(poplar::BOOL) : operands;
  }

  TypedNode operation(const Expr &e, const Operation &op, MaybeType operands, Type wanted,
                      std::vector<const Expr *> arguments) const {
    if (!operands && op.givesBool)
      fail(e, "nothing says what type the constants have");
    const Type type = operands ? *operands : wanted;
    if (!isAmong(type, op.types))
      throw poplibs_error(std::string("no ") + op.function + " for elements of type " +
                          nameOf(type) + ", in " + inOneLine(e));
    TypedNode node{.kind = TypedNode::Kind::Operation,
                   .type = op.givesBool ? poplar::BOOL : type,
                   .function = op.function,
                   .vector = op.vector,
                   .scalar = op.scalar};
    for (const Expr *argument : arguments)
      node.arguments.push_back(converted(build(*argument, type), type));
    return node;
  }

  /// Converts an epsilon of another type. All other nodes have their type already.
  static TypedNode converted(TypedNode node, Type type) {
    if (node.type == type)
      return node;
    return {
        .kind = TypedNode::Kind::Cast, .type = type, .scalar = 1, .arguments = {std::move(node)}};
  }

  TypedNode buildCast(const popops::expr::Cast &cast) const {
    const MaybeType from = typeOf(cast.getLHS());
    if (!from)
      fail(cast, "a cast of a constant");
    const Type type = cast.getRHSType();
    return {.kind = TypedNode::Kind::Cast,
            .type = type,
            .vector = 2,
            .arguments = {build(cast.getLHS(), *from)}};
  }

  TypedNode buildSelect(const TernaryOp &select, Type wanted) const {
    const MaybeType choices = typeOfChoices(select);
    const MaybeType predicate = typeOf(select.getArg2());
    if (predicate && *predicate != poplar::BOOL)
      fail(select, "a predicate of type " + nameOf(*predicate));
    const Operation &op = operationOf(TernaryOpType::SELECT);
    TypedNode node = operation(select, op, choices, wanted, {&select.getArg0(), &select.getArg1()});
    node.arguments.push_back(build(select.getArg2(), poplar::BOOL));
    return node;
  }

  const std::vector<Type> &types_;
};

} // namespace

TypedNode withTypes(const Expr &expr, const std::vector<Type> &types) {
  const Inference inference(types);
  const MaybeType type = inference.typeOf(expr);
  if (!type)
    fail(expr, "nothing says what type the constants have");
  return inference.build(expr, *type);
}

} // namespace copse::element_expr
