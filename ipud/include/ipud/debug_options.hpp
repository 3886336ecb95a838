#pragma once

#include "wire/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace copse::ipud {

/// Before which vertices an IPU stops for a debugger, and where it leaves word of that.
struct DebugOptions {
  std::filesystem::path directory;   ///< of the debugger and all IPUs; empty: nobody debugs
  std::optional<std::uint32_t> ipu;  ///< none: whichever stops first
  std::optional<std::uint32_t> tile; ///< none: all
  std::string vertex = "*";          ///< class of vertices; * stands for any characters
};

/// Reads "directory=/tmp/x,ipu=0,tile=3,vertex=Add<float,int>", as $COPSE_DEBUG has it. Only the directory must be there,
/// and none of its characters may be a comma; the vertex must be last.
/// \returns InvalidOption with what is wrong
wire::Result<DebugOptions> parseDebug(std::string_view text);

/// What $COPSE_DEBUG says; defaults if it is not set.
wire::Result<DebugOptions> debugOptionsOfEnvironment();

} // namespace copse::ipud
