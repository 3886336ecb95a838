#pragma once

#include <array>
#include <string_view>

namespace copse::types {

/// The modules with a log level of their own, POPLAR_<MODULE>_LOG_LEVEL, in the order of LogModule.
inline constexpr std::array<std::string_view, 7> kLogModules{
    "CODELETS", "ENGINE", "GRAPH", "PROFILER", "PROGRAM", "TARGET", "TENSOR"};

} // namespace copse::types
