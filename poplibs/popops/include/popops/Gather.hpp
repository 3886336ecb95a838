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

/// Holds hints for gather(), which change nothing here.
struct GatherParams {
  /// The most elements of a tile; a hint, which changes nothing here.
  std::size_t maxElementsPerTile = 65535;
  /// Makes the default hints.
  GatherParams() = default;
  /// Sets the most elements of a tile.
  GatherParams(std::size_t elements) : maxElementsPerTile(elements) {}
};

/// Adds an input that gather() along \p axis moves little of.
poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &operandShape, unsigned axis,
                                 GatherParams params = {},
                                 const poplar::DebugContext &debugContext = {});
/// Adds an input for the general form of gather().
poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &inputShape,
                                 const std::vector<std::size_t> &sliceSizes,
                                 std::vector<unsigned> startIndexMap,
                                 const poplar::DebugContext &debugContext = {});

// An index that is out of range stands for 0 in its dimension; a slice wraps round at the end.

/// Copies slices of one element along \p axis; in the result, the dimensions of \p indices take its
/// place. An index that is out of range stands for 0. \p options are accepted, without effect.
/// \param indices  UNSIGNED_INT, any shape
/// \throws poputil::poplibs_error if arguments do not fit together
poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input,
                      const poplar::Tensor &indices, unsigned axis, poplar::program::Sequence &prog,
                      GatherParams params, const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

/// Copies slices as XLA's Gather does. An index that is out of range stands for 0 in its dimension;
/// a slice wraps round at the end. \p options are accepted, without effect.
/// \param indexVectorDim      dimension of \p indices that holds a start; its rank: starts are
///   scalars
/// \param offsetDims          dimensions of the result that are dimensions of a slice
/// \param sliceSizes          for each dimension of \p input
/// \param collapsedSliceDims  dropped; their slices have size 1
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
