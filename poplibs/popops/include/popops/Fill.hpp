#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

/// \file
/// Setting all elements of a tensor to one value. The library defines these templates for values of
/// type float, int and unsigned. The value is converted to the element type: FLOAT, HALF, INT,
/// UNSIGNED_INT, BOOL, or a type of 8 or 16 bits.

namespace popops {

/// Adds vertices to \p fillCS that set the elements of \p t in \p tileRegions to a value, on \p
/// tile.
/// \param tileRegions  intervals of the flattened tensor
template <typename FillValueType>
void fill(poplar::Graph &graph, poplar::Tensor t, const std::vector<poplar::Interval> &tileRegions,
          unsigned tile, poplar::ComputeSet fillCS, FillValueType fillValue);
/// Adds vertices to \p fillCS that set all elements of \p t that are on \p tile.
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, unsigned tile, poplar::ComputeSet fillCS,
          FillValueType fillValue);
/// Adds vertices to \p fillCS that set the elements of \p t in the regions that \p mapping gives to
/// each tile.
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t,
          const std::vector<std::vector<poplar::Interval>> &mapping, poplar::ComputeSet fillCS,
          FillValueType fillValue);
/// Sets all elements to a value at the end of \p prog.
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
          FillValueType fillValue, const poplar::DebugContext &debugContext = {});

} // namespace popops
