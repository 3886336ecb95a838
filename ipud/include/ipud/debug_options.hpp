#pragma once

#include "wire/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace copse::ipud {

/// Selects the vertices before which an IPU stops for a debugger.
struct DebugOptions {
  /// The directory that the debugger and all IPUs share; empty: debugging is off.
  std::filesystem::path directory;
  std::optional<std::uint32_t> ipu;  ///< empty: the first IPU that stops
  std::optional<std::uint32_t> tile; ///< empty: all tiles
  std::string vertex = "*";          ///< vertex class; * matches any characters
};

/// Parses a value of $COPSE_DEBUG such as "directory=/tmp/x,ipu=0,tile=3,vertex=Add<float,int>".
/// Only the directory is required, and it must not contain commas. The vertex must be last.
/// \returns InvalidOption saying what is wrong
wire::Result<DebugOptions> parseDebug(std::string_view text);

/// Returns the options in $COPSE_DEBUG; defaults if it is not set.
wire::Result<DebugOptions> debugOptionsOfEnvironment();

} // namespace copse::ipud
