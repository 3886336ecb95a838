#include "memory_order.hpp"

#include "graph/run_list.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

namespace copse::graph {
namespace {

auto memoryKey(const ViewRegion &r) { return std::make_tuple(r.variable, r.begin, r.position); }

void sortByMemory(std::vector<ViewRegion> &regions) {
  std::sort(regions.begin(), regions.end(),
            [](const ViewRegion &a, const ViewRegion &b) { return memoryKey(a) < memoryKey(b); });
}

std::vector<ViewRegion> regionsOf(const View &view, std::span<const PositionInterval> intervals) {
  std::vector<ViewRegion> regions;
  for (const auto &[begin, end] : intervals) {
    addRegions(view, begin, end, regions);
  }
  return regions;
}

/// Removes from regions in memory order the elements that already occurred.
std::vector<ViewRegion> withoutAliases(const std::vector<ViewRegion> &regions) {
  std::vector<ViewRegion> out;
  std::uint64_t covered = 0;
  for (ViewRegion region : regions) {
    if (out.empty() || out.back().variable != region.variable) {
      covered = 0;
    }
    const std::uint64_t end = region.end();
    if (end <= covered) {
      continue;
    }
    const std::uint64_t skip = covered > region.begin ? covered - region.begin : 0;
    region.begin += skip;
    region.position += skip;
    region.count -= skip;
    covered = end;
    out.push_back(region);
  }
  return out;
}

/// Cuts regions in memory order wherever another region begins or ends, so that any two are equal
/// or disjoint.
std::vector<ViewRegion> cutAtEachOther(const std::vector<ViewRegion> &regions) {
  std::vector<std::pair<VariableId, std::uint64_t>> cuts;
  for (const ViewRegion &region : regions) {
    cuts.emplace_back(region.variable, region.begin);
    cuts.emplace_back(region.variable, region.end());
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<ViewRegion> out;
  for (const ViewRegion &region : regions) {
    auto cut =
        std::upper_bound(cuts.begin(), cuts.end(), std::make_pair(region.variable, region.begin));
    for (std::uint64_t begin = region.begin; begin < region.end(); ++cut) {
      out.push_back(
          {region.position + begin - region.begin, region.variable, begin, cut->second - begin});
      begin = cut->second;
    }
  }
  return out;
}

/// Regions in memory order that are consumed one after another, in any order.
class Unused {
public:
  explicit Unused(const std::vector<ViewRegion> &regions)
      : regions_(regions), next_(regions.size() + 1) {
    std::iota(next_.begin(), next_.end(), std::size_t{0});
  }
  void use(std::size_t i) { next_[i] = i + 1; }
  /// Returns the first remaining region from \p i on; the number of regions if there is none.
  std::size_t from(std::size_t i) {
    while (next_[i] != i) {
      next_[i] = next_[next_[i]];
      i = next_[i];
    }
    return i;
  }
  /// Returns the first remaining region that begins where \p region ends.
  std::optional<std::size_t> after(const ViewRegion &region) {
    const auto start = std::make_pair(region.variable, region.end());
    const auto it = std::lower_bound(regions_.begin(), regions_.end(), start,
                                     [](const ViewRegion &r, const auto &key) {
                                       return std::make_pair(r.variable, r.begin) < key;
                                     });
    const std::size_t i = from(static_cast<std::size_t>(it - regions_.begin()));
    const bool follows = i < regions_.size() && regions_[i].variable == start.first &&
                         regions_[i].begin == start.second;
    return follows ? std::optional<std::size_t>(i) : std::nullopt;
  }

private:
  const std::vector<ViewRegion> &regions_;
  std::vector<std::size_t> next_;
};

void append(MemoryChain &chain, const MemoryPiece &piece) {
  if (!chain.empty()) {
    MemoryPiece &last = chain.back();
    if (last.region.position + last.region.count == piece.region.position &&
        last.representative + last.region.count == piece.representative) {
      last.region.count += piece.region.count;
      return;
    }
  }
  chain.push_back(piece);
}

/// Returns for each of the regions in memory order the position of the first equal region.
std::vector<std::uint64_t> representatives(const std::vector<ViewRegion> &regions, bool match) {
  std::vector<std::uint64_t> out;
  out.reserve(regions.size());
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const bool again = match && i > 0 && regions[i - 1].variable == regions[i].variable &&
                       regions[i - 1].begin == regions[i].begin;
    out.push_back(again ? out.back() : regions[i].position);
  }
  return out;
}

} // namespace

std::vector<MemoryChain> memoryOrder(const View &view, std::span<const PositionInterval> intervals,
                                     AliasHandling aliases) {
  std::vector<ViewRegion> regions = regionsOf(view, intervals);
  sortByMemory(regions);
  if (aliases == AliasHandling::Remove) {
    regions = withoutAliases(regions);
  } else if (aliases == AliasHandling::Match) {
    regions = cutAtEachOther(regions);
    sortByMemory(regions);
  }
  const std::vector<std::uint64_t> first =
      representatives(regions, aliases == AliasHandling::Match);
  std::vector<MemoryChain> chains;
  Unused unused(regions);
  for (std::size_t i = unused.from(0); i < regions.size(); i = unused.from(i)) {
    MemoryChain chain;
    for (std::optional<std::size_t> next = i; next; next = unused.after(regions[*next])) {
      unused.use(*next);
      append(chain, {regions[*next], first[*next]});
    }
    chains.push_back(std::move(chain));
  }
  return chains;
}

std::vector<ViewRegion> coveredElements(const View &view) {
  std::vector<ViewRegion> parts;
  for (const Run &run : view.elementRuns()) {
    if (run.stride == 1) {
      parts.push_back({0, run.variable, run.begin, run.count});
      continue;
    }
    for (std::uint64_t i = 0; i < run.count; ++i) {
      parts.push_back({0, run.variable, elementOf(run, i), 1});
    }
  }
  sortByMemory(parts);
  std::vector<ViewRegion> out;
  for (const ViewRegion &part : withoutAliases(parts)) {
    if (!out.empty() && out.back().variable == part.variable && out.back().end() == part.begin) {
      out.back().count += part.count;
    } else {
      out.push_back({out.empty() ? 0 : out.back().position + out.back().count, part.variable,
                     part.begin, part.count});
    }
  }
  return out;
}

} // namespace copse::graph
