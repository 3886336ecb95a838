#include "tile_work/tile_shares.hpp"

namespace copse::tile_work {

std::vector<TileShare> sharesByTile(const poplar::Graph &graph,
                                    const std::vector<poplar::Tensor> &tensors) {
  if (tensors.front().numElements() == 0)
    return {};
  std::vector<poplar::Tensor> flat;
  for (const poplar::Tensor &t : tensors)
    flat.push_back(t.flatten());
  std::vector<poplar::Tensor *> others;
  for (std::size_t i = 1; i < flat.size(); ++i)
    others.push_back(&flat[i]);
  graph.reorderToSimplify(&flat.front(), others, false);

  std::vector<TileShare> shares;
  std::vector<std::vector<poplar::Interval>> regions;
  const auto mapping = graph.getTileMapping(flat.front());
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    shares.push_back({tile, {}});
    regions.push_back(mapping[tile]);
  }
  for (TileShare &share : shares)
    share.views.reserve(flat.size());
  for (const poplar::Tensor &t : flat) {
    std::vector<poplar::Tensor> views = t.slices(regions);
    for (std::size_t i = 0; i != shares.size(); ++i)
      shares[i].views.push_back(std::move(views[i]));
  }
  return shares;
}

} // namespace copse::tile_work
