#include "popops/Cast.hpp"

#include "map_vertices.hpp"
#include "popops/ElementWise.hpp"
#include "poputil/exceptions.hpp"
#include "real_type.hpp"

#include <cmath>

using namespace copse::element_expr;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;

namespace popops {
namespace {

bool isByte(const Type &type) {
  return type == poplar::CHAR || type == poplar::SIGNED_CHAR || type == poplar::UNSIGNED_CHAR;
}
bool isKnown(const Type &type) {
  return isReal(type) || isByte(type) || type == poplar::INT || type == poplar::UNSIGNED_INT ||
         type == poplar::SHORT || type == poplar::UNSIGNED_SHORT || type == poplar::BOOL;
}

void checkTypes(const Type &from, const Type &to) {
  const bool ofBytes = isByte(from) || isByte(to);
  if (!isKnown(from) || !isKnown(to) || (ofBytes && from != to && !isReal(from) && !isReal(to)))
    throw poputil::poplibs_error("cast: no conversion from " + from.toString().cloneAsString() +
                                 " to " + to.toString().cloneAsString());
}

} // namespace

void cast(Graph &graph, Tensor src, Tensor dst, poplar::ComputeSet cs) {
  checkTypes(src.elementType(), dst.elementType());
  if (src.shape() != dst.shape())
    throw poputil::poplibs_error("cast: from shape " + src.shapeToString() + " to shape " +
                                 dst.shapeToString());
  const Mapping mapping(expr::Cast(expr::_1, dst.elementType()), {src}, dst.shape());
  const MapCodelet codelet = mapping.codelet(false);
  copse::element_expr::addCodelets(graph, {codelet});
  addVertices(graph, mapping, codelet, false, dst, cs);
}

Tensor cast(Graph &graph, Tensor src, const Type &dstType, poplar::ComputeSet cs,
            const DebugContext &debugContext) {
  checkTypes(src.elementType(), dstType);
  const Tensor dst = createOutputForElementWiseOp(graph, {src}, dstType, {debugContext, "cast"});
  cast(graph, src, dst, cs);
  return dst;
}

poplar::program::Program cast(Graph &graph, Tensor src, Tensor dst,
                              const DebugContext &debugContext) {
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "Cast"});
  cast(graph, src, dst, cs);
  return poplar::program::Execute(cs, debugContext);
}

Tensor cast(Graph &graph, const Tensor &src, const Type &dstType, Sequence &prog,
            const DebugContext &debugContext) {
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "Cast"});
  const Tensor dst = cast(graph, src, dstType, cs, debugContext);
  prog.add(poplar::program::Execute(cs, debugContext));
  return dst;
}

void castWithOutput(Graph &graph, const Tensor &src, const Tensor &dst, Sequence &prog,
                    const DebugContext &debugContext) {
  prog.add(cast(graph, src, dst, debugContext));
}

Tensor checkAccuracyWhenCast(Graph &graph, const Tensor &input, Type outputType, double tolerance,
                             Sequence &prog, const DebugContext &debugContext) {
  if (input.numElements() != 1 || input.elementType() != poplar::FLOAT ||
      outputType != poplar::HALF)
    throw poputil::poplibs_error("checkAccuracyWhenCast: takes one element of type FLOAT, and HALF "
                                 "to cast it to; there are " +
                                 std::to_string(input.numElements()) + " of type " +
                                 input.elementType().toString().cloneAsString());
  using namespace expr;
  // A value that no half is near to becomes infinite, or the largest half: both are far away.
  const auto difference = Abs(expr::Cast(expr::Cast(_1, poplar::HALF), poplar::FLOAT) - _1);
  return map(graph, Lte(difference, Abs(_1) * Const(static_cast<float>(tolerance))),
             {input.reshape({})}, prog, {debugContext, "checkAccuracyWhenCast"});
}

} // namespace popops
