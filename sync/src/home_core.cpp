#include "home_core.hpp"

#include <sched.h>

namespace copse::sync {
namespace {

std::optional<cpu_set_t> allowedCores() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0)
    return {};
  return cores;
}

/// Returns the number of the \p n-th core of the set \p cores.
int nth(const cpu_set_t &cores, std::size_t n) {
  int core = 0;
  for (;; ++core)
    if (CPU_ISSET(core, &cores) && n-- == 0)
      return core;
}

} // namespace

std::optional<HomeCore> HomeCore::of(std::size_t number, std::size_t members) {
  const auto cores = allowedCores();
  const std::size_t count = cores ? static_cast<std::size_t>(CPU_COUNT(&*cores)) : 0;
  if (count < 2 || members <= count)
    return {};
  return HomeCore(nth(*cores, number % count));
}

void HomeCore::go() const {
  if (::sched_getcpu() == core_)
    return;
  const auto cores = allowedCores(); // the set may have changed since construction
  if (!cores || !CPU_ISSET(core_, &*cores))
    return;
  cpu_set_t home;
  CPU_ZERO(&home);
  CPU_SET(core_, &home);
  if (::sched_setaffinity(0, sizeof home, &home) == 0)
    (void)::sched_setaffinity(0, sizeof *cores, &*cores);
}

} // namespace copse::sync
