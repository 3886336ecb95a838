// Whether something holds for all elements of a tensor, or for some.
#include "popops/AllTrue.hpp"
#include "popops/ElementWise.hpp"
#include "popops/NaN.hpp"
#include "popops/Reduce.hpp"
#include "poputil/exceptions.hpp"

#include <numeric>

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

namespace popops {
namespace {

std::vector<std::size_t> allDims(const Tensor &t) {
  std::vector<std::size_t> dims(t.rank());
  std::iota(dims.begin(), dims.end(), std::size_t{0});
  return dims;
}

Tensor isAny(Graph &graph, const expr::Expr &predicate, const Tensor &src, Sequence &prog,
             const DebugContext &debugContext) {
  const Tensor each = map(graph, predicate, {src}, prog, debugContext);
  const Tensor any = graph.addVariable(poplar::BOOL, {1}, debugContext);
  graph.setTileMapping(any, 0);
  const Tensor flat = each.flatten();
  reduceWithOutput(graph, flat, any.reshape({}), {0}, Operation::LOGICAL_OR, prog, debugContext);
  return any;
}

} // namespace

Tensor allTrue(Graph &graph, Tensor A, Sequence &prog, const DebugContext &debugContext) {
  if (A.elementType() != poplar::BOOL)
    throw poputil::poplibs_error("allTrue: elements are BOOL, not " +
                                 A.elementType().toString().cloneAsString());
  return reduce(graph, A, allDims(A), Operation::LOGICAL_AND, prog, {debugContext, "allTrue"});
}

Tensor hasNaN(Graph &graph, const Tensor &src, Sequence &prog, const DebugContext &debugContext) {
  return isAny(graph, expr::IsNaN(expr::_1), src, prog, {debugContext, "hasNaN"});
}
Tensor hasNaNOrInf(Graph &graph, const Tensor &src, Sequence &prog,
                   const DebugContext &debugContext) {
  return isAny(graph, expr::Not(expr::IsFinite(expr::_1)), src, prog,
               {debugContext, "hasNaNOrInf"});
}

} // namespace popops
