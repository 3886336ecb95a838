#include "compiler/coverage.hpp"

#include <algorithm>

namespace copse::compiler {

using graph::Run;

namespace {

bool coverAllByIntervals(std::vector<Run> &runs, std::uint64_t elements) {
  std::sort(runs.begin(), runs.end(), [](const Run &a, const Run &b) { return a.begin < b.begin; });
  std::uint64_t covered = 0;
  for (const Run &run : runs) {
    if (run.begin > covered)
      return false;
    covered = std::max(covered, run.begin + run.count);
  }
  return covered >= elements;
}

bool coverAllByElements(const std::vector<Run> &runs, std::uint64_t elements) {
  std::vector<bool> seen(elements, false);
  std::uint64_t missing = elements;
  for (const Run &run : runs)
    for (std::uint64_t i = 0; i < run.count; ++i) {
      const auto at =
          run.begin + static_cast<std::uint64_t>(static_cast<std::int64_t>(i) * run.stride);
      missing -= seen[at] ? 0 : 1;
      seen[at] = true;
    }
  return missing == 0;
}

} // namespace

bool coverAll(std::vector<Run> runs, std::uint64_t elements) {
  std::uint64_t named = 0;
  bool strided = false;
  for (Run &run : runs) {
    if (run.stride == -1) { // the same elements, forwards
      run.begin -= run.count > 0 ? run.count - 1 : 0;
      run.stride = 1;
    }
    if (run.stride == 0)
      run.count = std::min<std::uint64_t>(run.count, 1);
    strided = strided || (run.stride != 1 && run.count > 1);
    named += run.count;
  }
  if (named < elements)
    return false;
  return strided ? coverAllByElements(runs, elements) : coverAllByIntervals(runs, elements);
}

} // namespace copse::compiler
