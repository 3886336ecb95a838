#include "cpu_level.hpp"

#include "popc/popc.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace copse::popc {
namespace {

/// The lowest first. By features, as not every compiler knows the levels' names.
std::vector<std::string> levelsHere() {
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
  levels.emplace_back("x86-64");
  if (v2)
    levels.emplace_back("x86-64-v2");
  if (v3)
    levels.emplace_back("x86-64-v3");
  if (v4)
    levels.emplace_back("x86-64-v4");
#endif
  return levels;
}

} // namespace

std::string cpuLevelForCodelets() {
  const std::vector<std::string> levels = levelsHere();
  const char *const chosen = std::getenv("COPSE_CPU_LEVEL");
  if (levels.empty() || chosen == nullptr || *chosen == '\0')
    return levels.empty() ? "" : levels.back();
  if (std::ranges::find(levels, chosen) == levels.end())
    throw CompileError("COPSE_CPU_LEVEL: '" + std::string(chosen) +
                       "' is no level of this machine; give one from x86-64 to " + levels.back());
  return chosen;
}

} // namespace copse::popc
