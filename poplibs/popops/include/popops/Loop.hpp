#pragma once

#include <cstddef>
#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

/// \file
/// Loops with a counter on the device. The functions append to no program: the caller adds what
/// they return.

namespace popops {

/// A function that is called once, with the counter, and returns the body.
using CountedLoopBodyType = std::function<poplar::program::Program(const poplar::Tensor &)>;

/// Returns a loop that runs the body for begin, begin + step, ... while less than \p end. The
/// counter is UNSIGNED_INT, shape {1}, on tile 0.
///
/// \code
/// prog.add(countedLoop(graph, 0, n, 1, [&](const Tensor &i) { return bodyFor(i); }));
/// \endcode
/// \throws poputil::poplibs_error if \p step is 0 or \p end is not above \p begin
poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t begin, std::size_t end,
                                      std::size_t step, const CountedLoopBodyType &body,
                                      const poplar::DebugContext &debugContext = {});
/// Returns a loop from 0 to \p count, which is excluded.
/// \throws poputil::poplibs_error if \p count is 0
poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t count,
                                      const CountedLoopBodyType &body,
                                      const poplar::DebugContext &debugContext = {});

/// Returns the loop `for (count = initialCount; count != countLimit; count += countStep)`, whose
/// body may never run.
/// \param count       the counter, one INT or UNSIGNED_INT
/// \param countLimit  one element of the counter's type
/// \throws poputil::poplibs_error if \p count or \p countLimit has another type or number of
///   elements
poplar::program::Sequence countedForLoop(poplar::Graph &graph, const poplar::Tensor &count,
                                         int initialCount, const poplar::Tensor &countLimit,
                                         int countStep, const poplar::program::Program &body,
                                         const poplar::DebugContext &debugContext = {});
/// Returns the loop above with a counter that the function adds; otherwise the same.
poplar::program::Sequence countedForLoop(poplar::Graph &graph, int initialCount,
                                         const poplar::Tensor &countLimit, int countStep,
                                         const poplar::program::Program &body,
                                         const poplar::DebugContext &debugContext = {});

} // namespace popops
