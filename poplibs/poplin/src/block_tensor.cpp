#include "block_tensor.hpp"

#include "blocks.hpp"

#include <functional>
#include <numeric>

namespace poplin {
namespace {

// Parts of a block begin where a tile can read 64 bits at once, and small blocks are not scattered.
constexpr std::size_t kGrain = 16;

} // namespace

poplar::Tensor joined(std::vector<poplar::Tensor> blocks, const std::vector<std::size_t> &counts) {
  for (std::size_t d = counts.size(); d-- != 0;) {
    std::vector<poplar::Tensor> longer;
    for (std::size_t i = 0; i < blocks.size(); i += counts[d])
      longer.push_back(poplar::concat(poplar::ArrayRef<poplar::Tensor>(&blocks[i], counts[d]),
                                      static_cast<unsigned>(d)));
    blocks = std::move(longer);
  }
  return blocks.front();
}

poplar::Tensor addBlockTensor(poplar::Graph &graph, const poplar::Type &type,
                              const std::vector<Block> &blocks,
                              const std::vector<std::size_t> &counts,
                              const poplar::DebugContext &debugContext) {
  std::vector<std::size_t> begins{0};
  for (const Block &block : blocks)
    begins.push_back(begins.back() + std::accumulate(block.shape.begin(), block.shape.end(),
                                                     std::size_t{1}, std::multiplies<>()));
  const poplar::Tensor flat = graph.addVariable(type, {begins.back()}, debugContext);
  poplar::Graph::TileToTensorMapping mapping(graph.getTarget().getNumTiles());
  std::vector<poplar::Tensor> views;
  for (std::size_t i = 0; i != blocks.size(); ++i) {
    const auto &tiles = blocks[i].tiles;
    const auto shares =
        plan::cut({begins[i], begins[i + 1]}, static_cast<unsigned>(tiles.size()), kGrain);
    for (std::size_t t = 0; t != tiles.size(); ++t)
      if (shares[t].size() != 0)
        mapping[tiles[t]].emplace_back(shares[t].begin, shares[t].end);
    views.push_back(flat.slice(begins[i], begins[i + 1]).reshape(blocks[i].shape));
  }
  graph.setTileMapping(flat, mapping);
  return joined(std::move(views), counts);
}

} // namespace poplin
