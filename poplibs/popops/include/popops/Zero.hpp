#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace popops {

/// Adds vertices to \p zeroCS that set the elements of \p t in \p tileRegions to 0, on \p tile.
/// \param tileRegions  intervals of the flattened tensor
void zero(poplar::Graph &graph, poplar::Tensor t, const std::vector<poplar::Interval> &tileRegions,
          unsigned tile, poplar::ComputeSet zeroCS);
/// Adds vertices to \p zeroCS that set all elements of \p t that are on \p tile to 0.
void zero(poplar::Graph &graph, const poplar::Tensor &t, unsigned tile, poplar::ComputeSet zeroCS);
/// Adds vertices to \p zeroCS that set the elements of \p t in the regions that \p mapping gives to
/// each tile to 0.
void zero(poplar::Graph &graph, const poplar::Tensor &t,
          const std::vector<std::vector<poplar::Interval>> &mapping, poplar::ComputeSet zeroCS);
/// Sets all elements to 0, or false, at the end of \p prog.
/// \param t  of any type; must be mapped and writable
void zero(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext = {});

} // namespace popops
