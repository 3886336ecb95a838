#include "ipud/daemon.hpp"

namespace copse::ipud {

std::string cpuLevel() {
  // The levels of the x86-64 psABI, by those of their features that compilers use without being
  // asked.
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") &&
                  __builtin_cpu_supports("ssse3");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  return v3 ? "x86-64-v3" : v2 ? "x86-64-v2" : "x86-64";
}

} // namespace copse::ipud
