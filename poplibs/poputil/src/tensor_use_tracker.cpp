#include "poputil/TileMapping.hpp"
#include "poputil/Util.hpp"

#include <algorithm>
#include <map>

using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;

namespace poputil {

/// Records, for each variable and tile, which of the variable's elements the tile uses.
class TensorUseTrackerState {
public:
  void add(unsigned tile, const Tensor &t) {
    for (const poplar::VariableInterval &region : t.getVarRegions())
      uses_[region.var][tile].push_back(region.interval);
  }
  void add(const TensorUseTrackerState &other) {
    for (const auto &[variable, tiles] : other.uses_)
      for (const auto &[tile, regions] : tiles) {
        auto &mine = uses_[variable][tile];
        mine.insert(mine.end(), regions.begin(), regions.end());
      }
  }
  bool empty() const { return uses_.empty(); }

  /// Gives each element to one of its users: in the order of elements, those that the same tiles
  /// use are shared out evenly, whole grains to each.
  void resolve(unsigned grainSize, unsigned minElementsPerTile) {
    for (auto &[variable, tiles] : uses_) {
      std::map<unsigned, std::vector<Interval>> owned;
      for (const auto &[region, users] : segmentsOf(tiles))
        share(region, users, grainSize, minElementsPerTile, owned);
      tiles = std::move(owned);
    }
  }

  void map(Graph &graph, bool extendPartialUsage) {
    for (auto &[variable, tiles] : uses_) {
      const Tensor flat = graph.getVariable(variable).flatten();
      for (auto &[tile, regions] : tiles) {
        mergeAdjacentRegions(regions);
        for (const Interval &region : regions)
          graph.setTileMapping(flat.slice(region), tile);
      }
      if (extendPartialUsage)
        mapRest(graph, flat, tiles);
    }
  }

private:
  using Regions = std::vector<Interval>;
  using ByTile = std::map<unsigned, Regions>;

  /// Runs of elements with the same users.
  static std::vector<std::pair<Interval, std::vector<unsigned>>> segmentsOf(const ByTile &tiles) {
    std::map<std::size_t, std::pair<std::vector<unsigned>, std::vector<unsigned>>> edges;
    for (const auto &[tile, regions] : tiles) {
      Regions merged = regions;
      mergeAdjacentRegions(merged);
      for (const Interval &region : merged) {
        edges[region.begin()].first.push_back(tile);
        edges[region.end()].second.push_back(tile);
      }
    }
    std::vector<std::pair<Interval, std::vector<unsigned>>> segments;
    std::vector<unsigned> users;
    std::size_t from = 0;
    for (const auto &[at, change] : edges) {
      if (!users.empty())
        segments.emplace_back(Interval(from, at), users);
      for (const unsigned tile : change.second)
        users.erase(std::find(users.begin(), users.end(), tile));
      users.insert(users.end(), change.first.begin(), change.first.end());
      std::sort(users.begin(), users.end());
      from = at;
    }
    return segments;
  }

  static void share(Interval region, const std::vector<unsigned> &users, unsigned grainSize,
                    unsigned minElements, ByTile &owned) {
    const auto parts = splitRegions({region}, grainSize, static_cast<unsigned>(users.size()),
                                    users.size() == 1 ? 0 : minElements);
    for (std::size_t i = 0; i != parts.size(); ++i) {
      Regions &to = owned[users[i]];
      to.insert(to.end(), parts[i].begin(), parts[i].end());
    }
  }

  /// Maps unused elements to the tile of the previous element.
  static void mapRest(Graph &graph, const Tensor &flat, const ByTile &tiles) {
    std::map<std::size_t, std::pair<std::size_t, unsigned>> used; // begin -> end, tile
    for (const auto &[tile, regions] : tiles)
      for (const Interval &region : regions)
        used[region.begin()] = {region.end(), tile};
    if (used.empty())
      return;
    std::size_t at = 0;
    unsigned tile = used.begin()->second.second;
    for (const auto &[begin, rest] : used) {
      if (at < begin)
        graph.setTileMapping(flat.slice(at, begin), tile);
      at = std::max(at, rest.first);
      tile = rest.second;
    }
    if (at < flat.numElements())
      graph.setTileMapping(flat.slice(at, flat.numElements()), tile);
  }

  std::map<poplar::VariableRef, ByTile> uses_;
};

TensorUseTracker::TensorUseTracker(unsigned) : state_(std::make_unique<TensorUseTrackerState>()) {}
TensorUseTracker::TensorUseTracker(const TensorUseTracker &other)
    : state_(std::make_unique<TensorUseTrackerState>(*other.state_)) {}
TensorUseTracker::TensorUseTracker(TensorUseTracker &&) = default;
TensorUseTracker &TensorUseTracker::operator=(const TensorUseTracker &other) {
  state_ = std::make_unique<TensorUseTrackerState>(*other.state_);
  return *this;
}
TensorUseTracker &TensorUseTracker::operator=(TensorUseTracker &&) = default;
TensorUseTracker::~TensorUseTracker() = default;

void TensorUseTracker::add(const Graph &, unsigned tile, const Tensor &t) { state_->add(tile, t); }
void TensorUseTracker::add(TensorUseTracker other) { state_->add(*other.state_); }
void TensorUseTracker::resolve(const Graph &, unsigned grainSize, unsigned minElementsPerTile, bool,
                               MappingMethod) {
  state_->resolve(grainSize, minElementsPerTile);
}
void TensorUseTracker::mapTensorsByUse(Graph &graph, unsigned grainSize,
                                       unsigned minElementsPerTile, bool extendPartialUsage,
                                       MappingMethod mappingMethod) {
  resolve(graph, grainSize, minElementsPerTile, extendPartialUsage, mappingMethod);
  state_->map(graph, extendPartialUsage);
}
bool TensorUseTracker::empty() const { return state_->empty(); }

} // namespace poputil
