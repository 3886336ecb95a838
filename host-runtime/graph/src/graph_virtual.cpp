#include "graph_impl.hpp"

#include "graph/replicas.hpp"
#include "poplar/Graph.hpp"

#include <numeric>

namespace poplar {

using copse::graph::Access;
using copse::graph::Model;

Graph Graph::createVirtualGraph(const std::vector<unsigned> &perGraphTileToParentTile) {
  const std::vector<unsigned> &tiles = perGraphTileToParentTile;
  std::vector<bool> seen(impl().tiles.tiles(), false);
  for (const unsigned tile : tiles) {
    if (tile >= seen.size() || seen[tile]) {
      throw poplar_error("createVirtualGraph: tile " + std::to_string(tile) +
                         (tile >= seen.size()
                              ? " is beyond the graph's " + std::to_string(seen.size()) + " tiles"
                              : std::string(" is listed twice")));
    }
    seen[tile] = true;
  }
  if (tiles.empty()) {
    throw poplar_error("createVirtualGraph: the graph would have no tiles");
  }
  auto made = std::make_unique<Impl>();
  made->state = impl().state;
  made->tiles = impl().tiles.subset(tiles);
  made->target = targetOf(tiles);
  made->replication = impl().replication;
  return Graph(std::move(made));
}

/// Returns the target for some tiles. Whole IPUs stay IPUs; any other set counts as one IPU with
/// that many tiles, or as the fewest equal IPUs with that many.
Target Graph::targetOf(const std::vector<unsigned> &tiles) const {
  const unsigned perIpu = impl().target.getTilesPerIPU();
  bool wholeIpus = tiles.size() % perIpu == 0;
  for (std::size_t i = 0; wholeIpus && i < tiles.size(); ++i) {
    wholeIpus = i % perIpu == 0 ? tiles[i] % perIpu == 0 : tiles[i] == tiles[i - 1] + 1;
  }
  if (wholeIpus) {
    return impl().target.createVirtualTarget(static_cast<unsigned>(tiles.size() / perIpu), perIpu);
  }
  const auto count = static_cast<unsigned>(tiles.size());
  unsigned ipus = 1;
  while (count % ipus != 0 || count / ipus > perIpu) {
    ++ipus;
  }
  return impl().target.createVirtualTarget(ipus, count / ipus);
}

Graph Graph::createVirtualGraph(unsigned lowerTile, unsigned upperTile) {
  if (lowerTile >= upperTile || upperTile > impl().tiles.tiles()) {
    throw poplar_error("createVirtualGraph: [" + std::to_string(lowerTile) + "," +
                       std::to_string(upperTile) + ") is not a range of the graph's " +
                       std::to_string(impl().tiles.tiles()) + " tiles");
  }
  std::vector<unsigned> tiles(upperTile - lowerTile);
  std::iota(tiles.begin(), tiles.end(), lowerTile);
  return createVirtualGraph(tiles);
}

Graph Graph::createVirtualGraph(unsigned numTilesPerIPU) {
  const Target target = impl().target;
  const unsigned perIpu = target.getTilesPerIPU();
  if (numTilesPerIPU == 0 || numTilesPerIPU > perIpu) {
    throw poplar_error("createVirtualGraph: an IPU has " + std::to_string(perIpu) + " tiles, not " +
                       std::to_string(numTilesPerIPU));
  }
  std::vector<unsigned> tiles;
  for (unsigned ipu = 0; ipu < target.getNumIPUs(); ++ipu) {
    for (unsigned tile = 0; tile < numTilesPerIPU; ++tile) {
      tiles.push_back(ipu * perIpu + tile);
    }
  }
  Graph graph = createVirtualGraph(tiles);
  graph.impl().target = target.createVirtualTarget(target.getNumIPUs(), numTilesPerIPU);
  return graph;
}

unsigned Graph::Impl::replicas() const {
  return replication == copse::graph::kNotReplicated ? model().replicas
                                                     : model().replications[replication].replicas();
}

unsigned Graph::getReplicationFactor() const { return impl().replicas(); }

unsigned Graph::convertVirtualTileToPhysicalTile(unsigned tile) const {
  if (tile >= impl().tiles.tiles()) {
    throw poplar_error("convertVirtualTileToPhysicalTile: there is no tile " +
                       std::to_string(tile) + " in a graph of " +
                       std::to_string(impl().tiles.tiles()) + " tiles");
  }
  return impl().tiles.toPhysical(tile);
}

Graph Graph::getTopLevelGraph() {
  auto made = std::make_unique<Impl>();
  made->state = impl().state;
  made->target = impl().state->target;
  made->tiles = copse::graph::TileSpace(made->target.getNumTiles());
  return Graph(std::move(made));
}

Tensor Graph::getNonReplicatedTensor(const Tensor &t) {
  if (impl().model().replicas > 1) {
    throw graph_replication_error("getNonReplicatedTensor: the graph was replicated by its "
                                  "constructor, so there is no graph above the replicas");
  }
  const auto &state = Access::state(t, "getNonReplicatedTensor");
  const auto &[type, view] = state.value;
  const Model &model = impl().model();
  return Access::tensor(impl().state, {type, allInstances(model, view, replicasOf(model, view))},
                        state.metadata);
}

Graph Graph::createReplicatedGraph(unsigned replicationFactor) {
  const std::string who = "createReplicatedGraph(" + std::to_string(replicationFactor) + ")";
  if (getReplicationFactor() > 1 && replicationFactor != 1) {
    throw graph_replication_error(who + ": the graph has " +
                                  std::to_string(getReplicationFactor()) +
                                  " replicas already; replicate the graph above it");
  }
  const std::uint32_t tiles = impl().tiles.tiles();
  if (replicationFactor == 0 || tiles % replicationFactor != 0) {
    throw graph_replication_error(who + ": the graph's " + std::to_string(tiles) +
                                  " tiles cannot be split into so many equal groups");
  }
  std::vector<std::uint32_t> physicalTiles;
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    physicalTiles.push_back(impl().tiles.toPhysical(tile));
  }
  Graph graph = createVirtualGraph(0, tiles / replicationFactor);
  if (replicationFactor == 1) {
    return graph;
  }
  Model &model = impl().model();
  graph.impl().replication = static_cast<std::uint32_t>(model.replications.size());
  model.replications.emplace_back(replicationFactor, std::move(physicalTiles));
  return graph;
}

} // namespace poplar
