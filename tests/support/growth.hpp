#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

namespace copse::test {

/// Returns the processor time of this process that `work` takes, the least of `turns` [s].
template <class Work> double leastSeconds(const Work &work, int turns) {
  const auto now = [] {
    std::timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double least = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < turns; ++turn) {
    const double begin = now();
    work();
    least = std::min(least, now() - begin);
  }
  return least;
}

/// Returns how the time of one element grows when there are eight times as many: 1 if the whole
/// work takes time in proportion to its elements, 8 if it compares each with all others. Both
/// sizes are measured in the same run, so the speed of the machine does not count.
/// `workOf(count)` prepares `count` elements and returns the work to measure.
template <class WorkOf> double growthPerElement(const WorkOf &workOf, std::size_t count) {
  const double some = leastSeconds(workOf(count / 8), 3), all = leastSeconds(workOf(count), 2);
  return all / (8 * some);
}

/// Tests refuse a growth from here: well above the noise of machines and the costs of a cache that
/// the smaller size fits into, well below a quadratic cost.
inline constexpr double kMostGrowth = 4;

} // namespace copse::test
