#pragma once

#include "reduce_plan.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace copse::reductions {

/// A reduction with its dimensions in the order in which they lie in memory, outermost first.
struct InMemoryOrder {
  /// \param dims  to reduce, each once
  InMemoryOrder(const poplar::Tensor &in, const std::vector<std::size_t> &dims);

  poplar::Tensor in;                 ///< the input, permuted and flattened
  std::vector<Dimension> dimensions; ///< joined
  std::vector<std::size_t> outShape; ///< shape of the output, permuted
  std::vector<unsigned> outOrder;    ///< dimension i of outShape is outOrder[i] of the output

  /// Returns the output with its dimensions in their original order.
  /// \param permuted  a tensor with outShape's elements
  poplar::Tensor asOutput(const poplar::Tensor &permuted) const;
  /// Returns the output's elements in the order of outShape, flattened.
  poplar::Tensor permuted(const poplar::Tensor &output) const;
};

/// Partial results for the same outputs.
struct PartialSet {
  std::vector<poplar::Interval> results; ///< positions in the flattened output, in order
  poplar::Tensor data;                   ///< [partial, result]
  std::vector<unsigned> tiles;           ///< tiles of the rows of data
};

/// Outputs that the same partial results are for.
struct Segment {
  poplar::Interval outputs;
  struct Source {
    std::size_t set, begin; ///< from result `begin` on
  };
  std::vector<Source> sources;
};

/// Returns all outputs that there are partial results for, ascending.
std::vector<Segment> segmentsOf(const std::vector<PartialSet> &sets);

/// Returns the parts of \p segments, which are ascending, that lie in \p region.
std::vector<Segment> partsIn(const poplar::Interval &region, const std::vector<Segment> &segments);

/// Returns the partial results for a segment, shape [partials, outputs].
poplar::Tensor gathered(const std::vector<PartialSet> &sets, const Segment &segment);

} // namespace copse::reductions
