#pragma once

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace poplin {

/// A block of a tensor and the tiles that use it, each of which holds a part.
struct Block {
  std::vector<std::size_t> shape; ///< the block's own shape, in the order of memory
  std::vector<unsigned> tiles;
};

/// Joins blocks along their dimensions.
/// \param blocks  in row-major order of their places
/// \param counts  number of blocks along each dimension
poplar::Tensor joined(std::vector<poplar::Tensor> blocks, const std::vector<std::size_t> &counts);

/// Adds a variable in which every block is contiguous.
/// \param counts  as of joined()
poplar::Tensor addBlockTensor(poplar::Graph &graph, const poplar::Type &type,
                              const std::vector<Block> &blocks,
                              const std::vector<std::size_t> &counts,
                              const poplar::DebugContext &debugContext);

} // namespace poplin
