#pragma once

#include <cstddef>
#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

// Loops with a counter on the device. Nothing is appended: the caller adds what they return.
// Errors: poputil::poplibs_error.
namespace popops {

/// Called once, with the counter.
using CountedLoopBodyType = std::function<poplar::program::Program(const poplar::Tensor &)>;

/// Runs the body for begin, begin + step, ... while less than \p end. The counter is UNSIGNED_INT,
/// shape {1}, on tile 0.
poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t begin, std::size_t end,
                                      std::size_t step, const CountedLoopBodyType &body,
                                      const poplar::DebugContext &debugContext = {});
/// From 0 to \p count.
poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t count,
                                      const CountedLoopBodyType &body,
                                      const poplar::DebugContext &debugContext = {});

/// for (count = initialCount; count != countLimit; count += countStep) body: perhaps never.
/// \param count, countLimit  one element each, both INT or both UNSIGNED_INT
poplar::program::Sequence countedForLoop(poplar::Graph &graph, const poplar::Tensor &count,
                                         int initialCount, const poplar::Tensor &countLimit,
                                         int countStep, const poplar::program::Program &body,
                                         const poplar::DebugContext &debugContext = {});
/// With a counter of its own.
poplar::program::Sequence countedForLoop(poplar::Graph &graph, int initialCount,
                                         const poplar::Tensor &countLimit, int countStep,
                                         const poplar::program::Program &body,
                                         const poplar::DebugContext &debugContext = {});

} // namespace popops
