#pragma once

#include <filesystem>

namespace copse::types {

/// Returns true if `copse debug` runs this program ($COPSE_DEBUG). Codelets are then compiled for a
/// debugger, and IPUs may stand still for any time.
bool isDebuggedRun();

/// Returns the directory where a debugger searches for sources that are in no file; empty if
/// isDebuggedRun() is false.
std::filesystem::path debuggedSources();

} // namespace copse::types
