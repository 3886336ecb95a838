#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplin {

/// Adds sum += scale * term, element by element.
/// \param function  that is named in errors
void addScaled(const char *function, poplar::Graph &graph, const poplar::Tensor &sum, float scale,
               const poplar::Tensor &term, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext);
/// \param scale  one element
void addScaled(const char *function, poplar::Graph &graph, const poplar::Tensor &sum,
               const poplar::Tensor &scale, const poplar::Tensor &term,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

} // namespace poplin
