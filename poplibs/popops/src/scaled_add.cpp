#include "popops/ElementWise.hpp"
#include "popops/ScaledAdd.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/exceptions.hpp"

#include <optional>

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;

namespace popops {
namespace {

enum class Sign { Plus, Minus };

void check(const Tensor &A, const Tensor &B, const OptionFlags &options) {
  bool speed = false;
  double tolerance = 0;
  poplibs::OptionSpec(
      "scaledAdd",
      {{"optimizeForSpeed", poplibs::OptionHandler::createWithBool(speed)},
       {"scaleFloatToHalfTolerance", poplibs::OptionHandler::createWithDouble(tolerance)}})
      .parse(options);
  const Type type = A.elementType();
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    throw poputil::poplibs_error("scaled addition: not for elements of type " +
                                 type.toString().cloneAsString());
  if (A.shape() != B.shape())
    throw poputil::poplibs_error("scaled addition: tensors of shapes " + A.shapeToString() +
                                 " and " + B.shapeToString());
}

void checkScale(const Tensor &scale) {
  if (scale.numElements() != 1)
    throw poputil::poplibs_error("scaled addition: a scale of shape " + scale.shapeToString() +
                                 "; it must have one element");
}

/// Returns the type of the arithmetic.
Type wideType(const Type &type) { return type == poplar::HALF ? poplar::FLOAT : type; }

expr::Any as(const expr::Expr &e, const Type &from, const Type &to) {
  if (from == to)
    return expr::Any(e);
  return expr::Any(expr::Cast(e, to));
}

/// Adds the scale as an operand and not as a constant of the expression, so that one vertex class
/// serves all learning rates.
Tensor constant(Graph &graph, const Type &type, float value, const DebugContext &debugContext) {
  const Tensor t = type == poplar::INT || type == poplar::UNSIGNED_INT
                       ? graph.addConstant(type, {}, static_cast<int>(value), debugContext)
                       : graph.addConstant(type, {}, value, debugContext);
  graph.setTileMapping(t, 0);
  return t;
}

void addScaled(Graph &graph, const Tensor &A, const std::optional<Tensor> &scaleA, const Tensor &B,
               const Tensor &scaleB, Sign sign, ScaledAddSpecialisation speciality, Sequence &prog,
               const DebugContext &debugContext, const OptionFlags &options) {
  using namespace expr;
  check(A, B, options);
  checkScale(scaleB);
  if (scaleA)
    checkScale(*scaleA);
  const Type type = A.elementType(), wide = wideType(type);
  const Any a = as(_1, type, wide);
  const Any b = Any(Mul(as(_2, B.elementType(), wide), as(_3, scaleB.elementType(), wide)));
  std::vector<Tensor> operands = {A, B, scaleB.reshape({})};
  Any scaled = a;
  if (scaleA) {
    operands.push_back(scaleA->reshape({}));
    scaled = Any(Mul(a, as(_4, scaleA->elementType(), wide)));
    if (speciality == ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY)
      scaled = Any(Sub(a, scaled));
  }
  const Any sum = sign == Sign::Plus ? Any(Add(scaled, b)) : Any(Sub(scaled, b));
  mapInPlace(graph, as(sum, wide, type), operands, prog, {debugContext, "scaledAdd"});
}

Type constantType(const Tensor &A) { return wideType(A.elementType()); }

} // namespace

void scaledAddTo(Graph &graph, Tensor A, Tensor B, float scaleB, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  scaledAddTo(graph, A, B, constant(graph, constantType(A), scaleB, debugContext), prog,
              debugContext, options);
}
void scaledAddTo(Graph &graph, Tensor A, Tensor B, Tensor scaleB, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  addScaled(graph, A, {}, B, scaleB, Sign::Plus, ScaledAddSpecialisation::DEFAULT, prog,
            debugContext, options);
}
void scaledAddTo(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB, Sequence &prog,
                 const ScaledAddSpecialisation speciality, const DebugContext &debugContext,
                 const OptionFlags &options) {
  addScaled(graph, A, scaleA, B, scaleB, Sign::Plus, speciality, prog, debugContext, options);
}
void scaledAddTo(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  scaledAddTo(graph, A, scaleA, B, scaleB, prog, ScaledAddSpecialisation::DEFAULT, debugContext,
              options);
}
void scaledAddTo(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB, Sequence &prog,
                 const ScaledAddSpecialisation speciality, const DebugContext &debugContext,
                 const OptionFlags &options) {
  const Type type = constantType(A);
  scaledAddTo(graph, A, constant(graph, type, scaleA, debugContext), B,
              constant(graph, type, scaleB, debugContext), prog, speciality, debugContext, options);
}
void scaledAddTo(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  scaledAddTo(graph, A, scaleA, B, scaleB, prog, ScaledAddSpecialisation::DEFAULT, debugContext,
              options);
}

void scaledSubtractFrom(Graph &graph, Tensor A, Tensor B, Tensor scaleB, Sequence &prog,
                        const DebugContext &debugContext, const OptionFlags &options) {
  addScaled(graph, A, {}, B, scaleB, Sign::Minus, ScaledAddSpecialisation::DEFAULT, prog,
            debugContext, options);
}
void scaledSubtractFrom(Graph &graph, Tensor A, Tensor B, float scaleB, Sequence &prog,
                        const DebugContext &debugContext, const OptionFlags &options) {
  scaledSubtractFrom(graph, A, B, constant(graph, constantType(A), scaleB, debugContext), prog,
                     debugContext, options);
}
void scaledSubtractFrom(Graph &graph, Tensor A, Tensor scaleA, Tensor B, Tensor scaleB,
                        Sequence &prog, const DebugContext &debugContext,
                        const OptionFlags &options) {
  addScaled(graph, A, scaleA, B, scaleB, Sign::Minus, ScaledAddSpecialisation::DEFAULT, prog,
            debugContext, options);
}
void scaledSubtractFrom(Graph &graph, Tensor A, float scaleA, Tensor B, float scaleB,
                        Sequence &prog, const DebugContext &debugContext,
                        const OptionFlags &options) {
  const Type type = constantType(A);
  scaledSubtractFrom(graph, A, constant(graph, type, scaleA, debugContext), B,
                     constant(graph, type, scaleB, debugContext), prog, debugContext, options);
}

} // namespace popops
