#include "poputil/Util.hpp"
#include "poputil/exceptions.hpp"
#include "tile_work/divided_up.hpp"

#include <algorithm>
#include <limits>

using poplar::Interval;

namespace poputil {
namespace {

using copse::tile_work::dividedUp;

using Regions = std::vector<Interval>;
using Sequences = std::vector<Regions>; // lists of regions that belong together

std::size_t elementsOf(const Regions &regions) {
  std::size_t n = 0;
  for (const Interval &region : regions)
    n += region.size();
  return n;
}

struct Limits {
  std::size_t grain, maxPartitions, minPerPartition, maxPerPartition, maxPerRegion;
};

/// Returns the number of parts.
std::size_t numParts(std::size_t grains, const Limits &limits) {
  const std::size_t minGrains =
      std::max<std::size_t>(1, dividedUp(limits.minPerPartition, limits.grain));
  const std::size_t wanted =
      std::max<std::size_t>(1, std::min(limits.maxPartitions, grains / minGrains));
  if (limits.maxPerPartition == UINT_MAX) // no limit, though there may be more elements
    return wanted;
  const std::size_t maxGrains = std::max<std::size_t>(1, limits.maxPerPartition / limits.grain);
  return std::max(wanted, dividedUp(grains, maxGrains));
}

/// Where parts end: they differ by no more than a grain.
class PartSizes {
public:
  PartSizes(std::size_t elements, const Limits &limits)
      : grain_(limits.grain), grains_(dividedUp(elements, grain_)),
        parts_(numParts(grains_, limits)) {}
  /// Elements before part \p i ends, if all regions were one.
  std::size_t end(std::size_t i) const { return (i + 1) * grains_ / parts_ * grain_; }
  std::size_t parts() const { return parts_; }

private:
  std::size_t grain_, grains_, parts_;
};

/// Walks over the lists and hands pieces of their regions to the current part.
class Splitter {
public:
  Splitter(const Sequences &sequences, const Limits &limits)
      : limits_(limits), sizes_(total(sequences, limits), limits) {
    for (const Regions &regions : sequences) {
      openList_ = false;
      for (const Interval &region : regions)
        split(region);
    }
  }
  std::vector<Sequences> take() { return std::move(parts_); }

private:
  /// Elements with each region rounded up to whole grains: cuts are only made between these.
  static std::size_t total(const Sequences &sequences, const Limits &limits) {
    std::size_t n = 0;
    for (const Regions &regions : sequences)
      for (const Interval &region : regions)
        n += dividedUp(region.size(), limits.grain) * limits.grain;
    return n;
  }
  void split(Interval region) {
    std::size_t begin = region.begin();
    while (begin != region.end()) {
      const std::size_t room = std::min(sizes_.end(part_) - done_, roomInList());
      const std::size_t n = std::min(region.end() - begin, room);
      add(Interval(begin, begin + n));
      begin += n;
      done_ += dividedUp(n, limits_.grain) * limits_.grain;
      if (done_ >= sizes_.end(part_) && part_ + 1 < sizes_.parts()) {
        ++part_;
        openPart_ = openList_ = false;
      }
    }
  }
  /// Returns how many elements the current list may still take, and closes a full one first.
  std::size_t roomInList() {
    if (limits_.maxPerRegion == UINT_MAX)
      return std::numeric_limits<std::size_t>::max();
    const std::size_t most =
        std::max(limits_.maxPerRegion / limits_.grain, std::size_t{1}) * limits_.grain;
    if (openList_ && inList_ >= most)
      openList_ = false;
    return openList_ ? most - inList_ : most;
  }
  void add(Interval piece) {
    if (!openPart_)
      parts_.emplace_back();
    if (!openList_) {
      parts_.back().emplace_back();
      inList_ = 0;
    }
    openPart_ = openList_ = true;
    parts_.back().back().push_back(piece);
    inList_ += dividedUp(piece.size(), limits_.grain) * limits_.grain;
  }

  const Limits &limits_;
  PartSizes sizes_;
  std::vector<Sequences> parts_;
  std::size_t part_ = 0, done_ = 0, inList_ = 0; ///< the latter two in whole grains
  bool openPart_ = false, openList_ = false;
};

Limits limitsOf(unsigned grainSize, unsigned maxPartitions, unsigned minPerPartition,
                unsigned maxPerPartition, unsigned maxPerRegion) {
  if (maxPartitions == 0)
    throw poplibs_error("splitRegions: the number of partitions is 0");
  return {std::max(1u, grainSize), maxPartitions, minPerPartition, std::max(1u, maxPerPartition),
          std::max(1u, maxPerRegion)};
}

} // namespace

void mergeAdjacentRegions(Regions &regions) {
  std::erase_if(regions, [](const Interval &r) { return r.begin() >= r.end(); });
  std::sort(regions.begin(), regions.end());
  Regions merged;
  for (const Interval &region : regions) {
    if (!merged.empty() && region.begin() <= merged.back().end())
      merged.back() = Interval(merged.back().begin(), std::max(merged.back().end(), region.end()));
    else
      merged.push_back(region);
  }
  regions = std::move(merged);
}

void mergeAdjacentRegions(Sequences &mapping) {
  for (Regions &regions : mapping)
    mergeAdjacentRegions(regions);
}

Regions flattenIntervals(const Sequences &intervals) {
  Regions all;
  for (const Regions &regions : intervals)
    all.insert(all.end(), regions.begin(), regions.end());
  return all;
}

std::size_t intervalSequenceNumElements(const Sequences &sequence) {
  std::size_t n = 0;
  for (const Regions &regions : sequence)
    n += elementsOf(regions);
  return n;
}

std::vector<Sequences> splitRegions(const Sequences &regions, unsigned grainSize,
                                    unsigned maxPartitions, unsigned minElementsPerPartition,
                                    unsigned maxElementsPerPartition,
                                    unsigned maxElementsPerRegion) {
  const Limits limits = limitsOf(grainSize, maxPartitions, minElementsPerPartition,
                                 maxElementsPerPartition, maxElementsPerRegion);
  return Splitter(regions, limits).take();
}

std::vector<Regions> splitRegions(const Regions &regions, unsigned grainSize,
                                  unsigned maxPartitions, unsigned minElementsPerPartition,
                                  unsigned maxElementsPerPartition, unsigned maxElementsPerRegion) {
  const Limits limits = limitsOf(grainSize, maxPartitions, minElementsPerPartition,
                                 maxElementsPerPartition, maxElementsPerRegion);
  Sequences each; // then a limit of a list limits one interval
  for (const Interval &region : regions)
    each.push_back({region});
  std::vector<Regions> parts;
  for (const Sequences &part : Splitter(each, limits).take())
    parts.push_back(flattenIntervals(part));
  return parts;
}

std::vector<Regions> splitRegionsBetweenWorkers(const poplar::Target &target,
                                                const Regions &regions, unsigned grainSize,
                                                unsigned minElementsPerPartition,
                                                unsigned maxElementsPerPartition,
                                                unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElementsPerPartition,
                      maxElementsPerPartition, maxElementsPerRegion);
}

std::vector<Sequences> splitRegionsBetweenWorkers(const poplar::Target &target,
                                                  const Sequences &regions, unsigned grainSize,
                                                  unsigned minElementsPerPartition,
                                                  unsigned maxElementsPerPartition,
                                                  unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElementsPerPartition,
                      maxElementsPerPartition, maxElementsPerRegion);
}

} // namespace poputil
