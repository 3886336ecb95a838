#pragma once

#include <string>
#include <vector>

namespace copse::wire {

/// The levels that this machine's processor has, the lowest first: those of the x86-64 psABI, "x86-64" up to "x86-64-v4",
/// and "x86-64-v4+fp16", which also computes with halves (AVX512-FP16). Empty on another architecture.
std::vector<std::string> cpuLevelsHere();

} // namespace copse::wire
