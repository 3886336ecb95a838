#pragma once

#include <string>
#include <vector>

namespace copse::wire {

/// Returns the levels that this machine's processor supports, lowest first: the levels of the
/// x86-64 psABI from "x86-64" to "x86-64-v4", and "x86-64-v4+fp16" for AVX512-FP16. Empty on
/// another architecture.
std::vector<std::string> cpuLevelsHere();

} // namespace copse::wire
