#pragma once

#include <gtest/gtest.h>

#include <sched.h>
#include <vector>

namespace copse::sync::test {

/// Returns the cores that the calling thread may use.
inline std::vector<int> ownCores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  return cores;
}

/// Binds the calling thread to this core.
inline void runOn(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  EXPECT_EQ(::sched_setaffinity(0, sizeof set, &set), 0);
}

} // namespace copse::sync::test
