#pragma once

#include "wire/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace copse::ipud {

/// Selects the tile instructions that an IPU traces, and the files for them.
struct TileTraceOptions {
  /// The `context` of the supervisor; workers are 0 to 5.
  static constexpr std::uint32_t kSupervisorContext = 6;

  std::filesystem::path directory;      ///< directory of the trace files; empty: tracing is off
  std::optional<std::uint32_t> ipu;     ///< empty: all IPUs
  std::optional<std::uint32_t> tile;    ///< empty: all tiles
  std::optional<std::uint32_t> context; ///< empty: all contexts
  bool lists = true;                    ///< true: list every instruction; false: statistics only
  std::uint64_t most = 1'000'000;       ///< limit of listed instructions per IPU
};

/// Parses a value of $COPSE_TILE_TRACE such as
/// "directory=/tmp/x,ipu=0,tile=3,context=2,lists=0,most=1000". Only the directory is required, and
/// it must not contain commas.
/// \returns InvalidOption saying what is wrong
wire::Result<TileTraceOptions> parseTileTrace(std::string_view text);

} // namespace copse::ipud
