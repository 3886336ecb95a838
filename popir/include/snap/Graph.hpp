#pragma once

#include <poplar/Graph.hpp>
#include <utility>
#include <vector>

namespace snap {

/// A poplar::Graph under another name, as PopART 2.1 to 3.1 hold it. Owns the graph.
class Graph {
public:
  explicit Graph(const poplar::Target &target,
                 poplar::replication_factor replicas = poplar::replication_factor(1))
      : graph_(target, replicas) {}
  Graph(poplar::Graph &&graph) : graph_(std::move(graph)) {}

  poplar::Graph &getPoplarGraph() { return graph_; }
  const poplar::Graph &getPoplarGraph() const { return graph_; }

  /// Tiles [lowerTile, upperTile) of the graph.
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile) {
    return graph_.createVirtualGraph(lowerTile, upperTile);
  }
  Graph createVirtualGraph(const std::vector<unsigned> &perGraphTileToParentTile) {
    return graph_.createVirtualGraph(perGraphTileToParentTile);
  }

private:
  poplar::Graph graph_;
};

} // namespace snap
