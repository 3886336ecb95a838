#pragma once

#include <string>
#include <vector>

namespace copse::popc {

/// The level (wire/cpu_levels.hpp) that codelets are compiled for: the highest one that this machine has, or a lower one that
/// COPSE_CPU_LEVEL names, for precompiled codelets of other machines. "" on another architecture.
/// \throws CompileError if COPSE_CPU_LEVEL is no level, or is above this machine's
std::string cpuLevelForCodelets();

/// Arguments of clang for code of that level; none for "".
std::vector<std::string> processorFlags(const std::string &level);

} // namespace copse::popc
