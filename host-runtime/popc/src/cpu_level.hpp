#pragma once

#include <string>

namespace copse::popc {

/// The x86-64 psABI level that codelets are compiled for: the highest one that this machine has, or a lower one that
/// COPSE_CPU_LEVEL names, for precompiled codelets of other machines. "" on another architecture.
/// \throws CompileError if COPSE_CPU_LEVEL is no level, or is above this machine's
std::string cpuLevelForCodelets();

} // namespace copse::popc
