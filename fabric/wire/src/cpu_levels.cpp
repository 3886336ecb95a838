#include "wire/cpu_levels.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace copse::wire {
namespace {

#if defined(__x86_64__)
/// Returns true if the processor has AVX512-FP16, a name that clang 16 does not know. AVX512-FP16
/// needs no more support of the operating system than AVX-512.
bool computesWithHalves() {
  constexpr unsigned kLeaf = 7, kFp16 = 1U << 23; // bit of EDX
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(kLeaf, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kFp16) != 0;
}
#endif

} // namespace

// Tests features, because not every compiler knows the names of the levels.
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
  levels.emplace_back("x86-64");
  if (v2)
    levels.emplace_back("x86-64-v2");
  if (v3)
    levels.emplace_back("x86-64-v3");
  if (v4)
    levels.emplace_back("x86-64-v4");
  if (v4 && computesWithHalves())
    levels.emplace_back("x86-64-v4+fp16");
#endif
  return levels;
}

} // namespace copse::wire
