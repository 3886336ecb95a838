#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace copse::graph {

/// Graph::createReplicatedGraph divides the tiles of a graph among replicas, and the model has only
/// replica 0 of each replicated object. This class finds the corresponding tiles of the other
/// replicas. Immutable.
class ReplicaTiles {
public:
  /// \param tiles  numbers in the top-level graph, shape [replicas][tiles per replica]
  ReplicaTiles(std::uint32_t replicas, std::vector<std::uint32_t> tiles)
      : replicas_(replicas), tiles_(std::move(tiles)) {
    const std::uint32_t perReplica = static_cast<std::uint32_t>(tiles_.size()) / replicas_;
    for (std::uint32_t i = 0; i < tiles_.size(); ++i)
      place_.emplace(tiles_[i], i % perReplica);
  }

  std::uint32_t replicas() const { return replicas_; }
  /// Shape [replicas][tiles per replica].
  const std::vector<std::uint32_t> &tiles() const { return tiles_; }

  /// Returns the tile of \p replica that corresponds to \p tile of another replica. A tile that
  /// belongs to no replica serves all of them.
  std::uint32_t tileOf(std::uint32_t tile, std::uint32_t replica) const {
    const auto found = place_.find(tile);
    return found == place_.end() ? tile
                                 : tiles_[replica * (tiles_.size() / replicas_) + found->second];
  }

private:
  std::uint32_t replicas_;
  std::vector<std::uint32_t> tiles_;
  std::unordered_map<std::uint32_t, std::uint32_t> place_; ///< tile -> its index in its replica
};

} // namespace copse::graph
