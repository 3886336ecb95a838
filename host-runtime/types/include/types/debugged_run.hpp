#pragma once

#include <filesystem>

namespace copse::types {

/// Whether `copse debug` runs this program ($COPSE_DEBUG): codelets are then compiled for a debugger, and IPUs may stand
/// still for as long as somebody looks at them.
bool isDebuggedRun();

/// The directory where a debugger looks for sources that are in no file; empty if isDebuggedRun() is false.
std::filesystem::path debuggedSources();

} // namespace copse::types
