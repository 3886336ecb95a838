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

struct GatherParams {
  std::size_t maxElementsPerTile = 65535; ///< a hint, which changes nothing here
  GatherParams() = default;
  GatherParams(std::size_t elements) : maxElementsPerTile(elements) {}
};

/// An input that gather() along \p axis moves little of.
poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &operandShape, unsigned axis,
                                 GatherParams params = {},
                                 const poplar::DebugContext &debugContext = {});
/// The same for the general form.
poplar::Tensor createGatherInput(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &inputShape,
                                 const std::vector<std::size_t> &sliceSizes,
                                 std::vector<unsigned> startIndexMap,
                                 const poplar::DebugContext &debugContext = {});

// An index that is out of range stands for 0 in its dimension; a slice wraps round at the end.

/// Slices of one element along \p axis; in the result, the dimensions of \p indices take its place.
/// \param indices  UNSIGNED_INT \throws poputil::poplibs_error
poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input,
                      const poplar::Tensor &indices, unsigned axis, poplar::program::Sequence &prog,
                      GatherParams params, const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

/// XLA's Gather.
/// \param indexVectorDim      dimension of \p indices that holds a start; its rank: starts are
///                            scalars
/// \param offsetDims          where in the result the dimensions of a slice stand
/// \param sliceSizes          for each dimension of \p input
/// \param collapsedSliceDims  dropped; their slices have size 1
/// \param startIndexMap       dimension of \p input for each component of a start
poplar::Tensor gather(poplar::Graph &graph, const poplar::Tensor &input,
                      const poplar::Tensor &indices, std::size_t indexVectorDim,
                      const std::vector<std::size_t> &offsetDims,
                      const std::vector<std::size_t> &sliceSizes,
                      const std::vector<std::size_t> &collapsedSliceDims,
                      const std::vector<unsigned> &startIndexMap, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

} // namespace popops
