#include "coverage.hpp"

#include "graph/run_list.hpp"

#include <algorithm>

namespace copse::compiler {

using graph::Run;

namespace {

/// Marks the elements of interleaved runs in a bit set.
class Marks {
public:
  void mark(const std::vector<Run> &runs) {
    std::uint64_t end = 0;
    low_ = ~std::uint64_t{0};
    for (const Run &run : runs) {
      const std::uint64_t last = graph::lastElement(run);
      low_ = std::min({low_, run.begin, last});
      end = std::max({end, run.begin + 1, last + 1});
    }
    bits_.assign(end - low_, false);
    for (const Run &run : runs)
      for (std::uint64_t i = 0; i < run.count; ++i)
        bits_[graph::elementOf(run, i) - low_] = true;
  }
  void addExtents(std::vector<Extent> &extents) const {
    for (auto at = std::find(bits_.begin(), bits_.end(), true); at != bits_.end();) {
      const auto end = std::find(at, bits_.end(), false);
      extents.push_back({low_ + static_cast<std::uint64_t>(at - bits_.begin()),
                         low_ + static_cast<std::uint64_t>(end - bits_.begin())});
      at = std::find(end, bits_.end(), true);
    }
  }

private:
  std::uint64_t low_ = 0;
  std::vector<bool> bits_;
};

} // namespace

std::vector<Extent> coverage(const std::vector<Run> &runs) {
  std::vector<Extent> extents;
  std::vector<Run> strided;
  for (const Run &run : runs) {
    if (run.count == 0)
      continue;
    if (run.count == 1 || run.stride == 0)
      extents.push_back({run.begin, run.begin + 1});
    else if (run.stride == 1)
      extents.push_back({run.begin, run.begin + run.count});
    else if (run.stride == -1)
      extents.push_back({graph::lastElement(run), run.begin + 1});
    else
      strided.push_back(run);
  }
  if (!strided.empty()) {
    Marks marks;
    marks.mark(strided);
    marks.addExtents(extents);
  }
  std::sort(extents.begin(), extents.end(),
            [](const Extent &a, const Extent &b) { return a.begin < b.begin; });
  std::vector<Extent> out;
  for (const Extent &extent : extents) {
    if (!out.empty() && extent.begin <= out.back().end)
      out.back().end = std::max(out.back().end, extent.end);
    else
      out.push_back(extent);
  }
  return out;
}

} // namespace copse::compiler
