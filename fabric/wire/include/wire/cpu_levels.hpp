#pragma once

#include <string>
#include <vector>

namespace copse::wire {

/// The x86-64 psABI levels that this machine's processor has, the lowest first: "x86-64", ... up to
/// "x86-64-v4". Empty on another architecture.
std::vector<std::string> cpuLevelsHere();

} // namespace copse::wire
