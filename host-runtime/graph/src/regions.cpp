#include "regions.hpp"

#include "graph/run_list.hpp"

#include <algorithm>

namespace copse::graph {
namespace {

/// A run with the inclusive range of its elements.
struct Reach {
  Run run;
  std::uint64_t low = 0, high = 0;
  bool second = false; ///< belongs to the second of two views
};

void addReaches(const View &view, bool second, std::vector<Reach> &out) {
  for (const Run &run : view.runs()) {
    const std::uint64_t last = lastElement(run);
    out.push_back({run, std::min(run.begin, last), std::max(run.begin, last), second});
  }
}

/// Marks elements in a range of a variable.
class Marks {
public:
  Marks(std::uint64_t low, std::uint64_t high) : low_(low), bits_(high - low + 1) {}
  /// \returns true if it was marked before
  bool mark(std::uint64_t element) {
    const bool before = bits_[element - low_];
    bits_[element - low_] = true;
    return before;
  }
  bool marked(std::uint64_t element) const { return bits_[element - low_]; }

private:
  std::uint64_t low_;
  std::vector<bool> bits_;
};

/// Returns true if runs with overlapping ranges have a common element.
bool clusterHasAliases(std::span<const Reach> cluster, std::uint64_t high) {
  const bool dense = std::all_of(cluster.begin(), cluster.end(), [](const Reach &r) {
    return r.run.stride == 1 || r.run.stride == -1;
  });
  if (dense) {
    return cluster.size() > 1;
  }
  Marks marks(cluster.front().low, high);
  for (const Reach &reach : cluster) {
    for (std::uint64_t i = 0; i < reach.run.count; ++i) {
      if (marks.mark(elementOf(reach.run, i))) {
        return true;
      }
    }
  }
  return false;
}

bool clusterOverlaps(std::span<const Reach> cluster, std::uint64_t high) {
  Marks marks(cluster.front().low, high);
  for (const bool second : {false, true}) {
    for (const Reach &reach : cluster) {
      if (reach.second != second) {
        continue;
      }
      for (std::uint64_t i = 0; i < reach.run.count; ++i) {
        const std::uint64_t element = elementOf(reach.run, i);
        if (second && marks.marked(element)) {
          return true;
        }
        if (!second) {
          marks.mark(element);
        }
      }
    }
  }
  return false;
}

/// Sorts \p reaches, and calls \p found for each group with overlapping ranges.
template <typename Found> bool anyCluster(std::vector<Reach> &reaches, Found found) {
  std::sort(reaches.begin(), reaches.end(), [](const Reach &a, const Reach &b) {
    return a.run.variable != b.run.variable ? a.run.variable < b.run.variable : a.low < b.low;
  });
  for (std::size_t first = 0; first < reaches.size();) {
    std::uint64_t high = reaches[first].high;
    std::size_t last = first + 1;
    while (last < reaches.size() && reaches[last].run.variable == reaches[first].run.variable &&
           reaches[last].low <= high) {
      high = std::max(high, reaches[last++].high);
    }
    if (found(std::span<const Reach>(reaches).subspan(first, last - first), high)) {
      return true;
    }
    first = last;
  }
  return false;
}

} // namespace

void addRegions(const View &view, std::uint64_t begin, std::uint64_t end,
                std::vector<ViewRegion> &regions) {
  std::uint64_t position = begin;
  const auto add = [&](VariableId variable, std::uint64_t first, std::uint64_t count) {
    const bool joins = !regions.empty() && regions.back().variable == variable &&
                       regions.back().end() == first &&
                       regions.back().position + regions.back().count == position;
    if (joins) {
      regions.back().count += count;
    } else {
      regions.push_back({position, variable, first, count});
    }
    position += count;
  };
  RunList list;
  view.addRuns(begin, end, list);
  for (const Run &run : list.runs()) {
    if (run.stride == 1) {
      add(run.variable, run.begin, run.count);
      continue;
    }
    for (std::uint64_t i = 0; i < run.count; ++i) {
      add(run.variable, elementOf(run, i), 1);
    }
  }
}

std::vector<ViewRegion> contiguousRegions(const View &view) {
  std::vector<ViewRegion> regions;
  addRegions(view, 0, view.numElements(), regions);
  return regions;
}

bool hasAliases(const View &view) {
  if (view.isPlainlyAliasFree()) {
    return false;
  }
  std::vector<Reach> reaches;
  addReaches(view, false, reaches);
  return anyCluster(reaches, [](std::span<const Reach> cluster, std::uint64_t high) {
    const bool plain = cluster.size() == 1 && cluster.front().run.stride != 0;
    return !plain && clusterHasAliases(cluster, high);
  });
}

bool overlap(const View &a, const View &b) {
  std::vector<Reach> reaches;
  addReaches(a, false, reaches);
  addReaches(b, true, reaches);
  return anyCluster(reaches, [](std::span<const Reach> cluster, std::uint64_t high) {
    const bool both = std::any_of(cluster.begin(), cluster.end(), [&](const Reach &r) {
      return r.second != cluster.front().second;
    });
    return both && clusterOverlaps(cluster, high);
  });
}

} // namespace copse::graph
