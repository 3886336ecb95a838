#include "accumulate.hpp"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>
#include <string>

namespace poplin {
namespace {

using poplar::Tensor;
namespace pe = popops::expr;

void check(const char *function, const Tensor &sum, const Tensor &term) {
  if (sum.shape() != term.shape())
    throw poputil::poplibs_error(std::string(function) + ": what is updated has shape " +
                                 sum.shapeToString() + ", what is added " + term.shapeToString());
}

} // namespace

void addScaled(const char *function, poplar::Graph &graph, const Tensor &sum, float scale,
               const Tensor &term, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext) {
  check(function, sum, term);
  popops::mapInPlace(graph, pe::_1 + pe::Cast(pe::_2, sum.elementType()) * pe::Const(scale),
                     {sum, term}, prog, {debugContext, "addScaled"});
}

void addScaled(const char *function, poplar::Graph &graph, const Tensor &sum, const Tensor &scale,
               const Tensor &term, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext) {
  check(function, sum, term);
  if (scale.numElements() != 1)
    throw poputil::poplibs_error(std::string(function) + ": the scale must have one element, not " +
                                 std::to_string(scale.numElements()));
  const poplar::Type &type = sum.elementType();
  popops::mapInPlace(graph, pe::_1 + pe::Cast(pe::_2, type) * pe::Cast(pe::_3, type),
                     {sum, term, scale.flatten()}, prog, {debugContext, "addScaled"});
}

} // namespace poplin
