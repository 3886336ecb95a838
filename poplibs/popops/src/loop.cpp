#include "popops/Loop.hpp"

#include "popops/ElementWise.hpp"
#include "poputil/exceptions.hpp"

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Program;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace popops {
namespace {

template <typename T>
Tensor constant(Graph &graph, const poplar::Type &type, T value, const DebugContext &debugContext) {
  const Tensor t = graph.addConstant(type, {1}, value, debugContext);
  graph.setTileMapping(t, 0);
  return t;
}

} // namespace

Sequence countedLoop(Graph &graph, std::size_t begin, std::size_t end, std::size_t step,
                     const CountedLoopBodyType &body, const DebugContext &debugContext) {
  if (step == 0 || begin >= end)
    throw poplibs_error("countedLoop: from " + std::to_string(begin) + " to " +
                        std::to_string(end) + " in steps of " + std::to_string(step) +
                        "; the step must not be 0, and the end lie after the beginning");
  const Tensor counter = graph.addVariable(poplar::UNSIGNED_INT, {1}, {debugContext, "counter"});
  graph.setTileMapping(counter, 0);
  Sequence trip;
  trip.add(body(counter));
  addInPlace(graph, counter,
             constant(graph, poplar::UNSIGNED_INT, static_cast<unsigned>(step), debugContext), trip,
             {debugContext, "count"});
  const std::size_t trips = (end - begin + step - 1) / step;
  Sequence loop;
  loop.add(Copy(constant(graph, poplar::UNSIGNED_INT, static_cast<unsigned>(begin), debugContext),
                counter, false, debugContext));
  loop.add(poplar::program::Repeat(static_cast<unsigned>(trips), trip, debugContext));
  return loop;
}

Sequence countedLoop(Graph &graph, std::size_t count, const CountedLoopBodyType &body,
                     const DebugContext &debugContext) {
  return countedLoop(graph, 0, count, 1, body, debugContext);
}

Sequence countedForLoop(Graph &graph, const Tensor &count, int initialCount,
                        const Tensor &countLimit, int countStep, const Program &body,
                        const DebugContext &debugContext) {
  const poplar::Type type = count.elementType();
  if (count.numElements() != 1 || countLimit.numElements() != 1 ||
      countLimit.elementType() != type || (type != poplar::INT && type != poplar::UNSIGNED_INT))
    throw poplibs_error("countedForLoop: a counter of shape " + count.shapeToString() +
                        " and type " + type.toString().cloneAsString() + ", a limit of shape " +
                        countLimit.shapeToString() + " and type " +
                        countLimit.elementType().toString().cloneAsString() +
                        "; both have one element, and are INT or both UNSIGNED_INT");
  const Tensor counter = count.reshape({1}), limit = countLimit.reshape({1});
  Sequence loop, condition, trip;
  loop.add(Copy(constant(graph, type, initialCount, debugContext), counter, false, debugContext));
  const Tensor goesOn = neq(graph, counter, limit, condition, {debugContext, "condition"});
  trip.add(body);
  addInPlace(graph, counter, constant(graph, type, countStep, debugContext), trip,
             {debugContext, "count"});
  loop.add(poplar::program::RepeatWhileTrue(condition, goesOn.reshape({}), trip, debugContext));
  return loop;
}

Sequence countedForLoop(Graph &graph, int initialCount, const Tensor &countLimit, int countStep,
                        const Program &body, const DebugContext &debugContext) {
  const Tensor counter =
      graph.addVariable(countLimit.elementType(), {1}, {debugContext, "counter"});
  graph.setTileMapping(counter, 0);
  return countedForLoop(graph, counter, initialCount, countLimit, countStep, body, debugContext);
}

} // namespace popops
