#pragma once

#include <string>
#include <vector>

namespace copse::popc {

/// Returns the level (wire/cpu_levels.hpp) that codelets are compiled for: the highest level of
/// this machine, or the lower one in COPSE_CPU_LEVEL, for codelets that other machines are to run.
/// Returns "" on another architecture.
/// \throws CompileError  if COPSE_CPU_LEVEL is no level, or is above this machine's
std::string cpuLevelForCodelets();

/// Returns clang's arguments for code of \p level; empty for "".
std::vector<std::string> processorFlags(const std::string &level);

} // namespace copse::popc
