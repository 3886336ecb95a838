#include "wire/cpu_levels.hpp"

namespace copse::wire {

// By features, as not every compiler knows the levels' names.
std::vector<std::string> cpuLevelsHere() {
  std::vector<std::string> levels;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.2") &&
                  __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  const bool v4Fp16 = v4 && __builtin_cpu_supports("avx512fp16");
  levels.emplace_back("x86-64");
  if (v2)
    levels.emplace_back("x86-64-v2");
  if (v3)
    levels.emplace_back("x86-64-v3");
  if (v4)
    levels.emplace_back("x86-64-v4");
  if (v4Fp16)
    levels.emplace_back("x86-64-v4+fp16");
#endif
  return levels;
}

} // namespace copse::wire
