#pragma once

#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <vector>

namespace popops {

/// Holds hints for gather(). Accepted for the public sources; they have no effect.
struct GatherParams {
  /// The most elements on a tile; no effect.
  std::size_t maxElementsPerTile = 65535;
  /// Makes the default hints.
  GatherParams() = default;
  /// Sets the most elements of a tile.
  GatherParams(std::size_t elements) : maxElementsPerTile(elements) {}
};

/// Adds an input of \p operandShape laid out so that gather() along \p axis exchanges only the
/// slices that it copies.
poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &operandShape, unsigned axis,
                                 GatherParams params = {},
                                 const poplar::DebugContext &debugContext = {});
/// Adds an input laid out for the form of gather() that takes slice sizes.
poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &inputShape,
                                 const std::vector<std::size_t> &sliceSizes,
                                 std::vector<unsigned> startIndexMap,
                                 const poplar::DebugContext &debugContext = {});

// An index that is out of range counts as 0 in its dimension; a slice wraps round at the end.

/// Copies slices of one element along \p axis; in the result, the dimensions of \p indices take its
/// place. An index that is out of range counts as 0. \p options are accepted, without effect.
/// \param indices  UNSIGNED_INT, any shape
/// \throws poputil::poplibs_error if arguments do not fit together
poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input,
                      const poplar::Tensor &indices, unsigned axis, poplar::program::Sequence &prog,
                      GatherParams params, const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

/// Copies slices as XLA's Gather does. An index that is out of range counts as 0 in its dimension;
/// a slice wraps round at the end. \p options are accepted, without effect.
/// \param indexVectorDim      the dimension of \p indices along which the components of a start
///   lie; the rank of \p indices if each start is a scalar
/// \param offsetDims          dimensions of the result that are dimensions of a slice
/// \param sliceSizes          size of a slice in each dimension of \p input
/// \param collapsedSliceDims  dimensions of \p input that the result does not have; slices have
///   size 1 in them
/// \param startIndexMap       dimension of \p input for each component of a start
/// \throws poputil::poplibs_error if arguments do not fit together
poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input,
                      const poplar::Tensor &indices, std::size_t indexVectorDim,
                      const std::vector<std::size_t> &offsetDims,
                      const std::vector<std::size_t> &sliceSizes,
                      const std::vector<std::size_t> &collapsedSliceDims,
                      const std::vector<unsigned> &startIndexMap, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

} // namespace popops
