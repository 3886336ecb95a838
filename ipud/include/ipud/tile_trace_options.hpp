#pragma once

#include "wire/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace copse::ipud {

/// Which tile instructions an IPU writes down while it executes them, and where.
struct TileTraceOptions {
  /// Of the worker 0 to 5, or of the supervisor.
  static constexpr std::uint32_t kSupervisorContext = 6;

  std::filesystem::path directory;      ///< where files are made; empty: nothing is traced
  std::optional<std::uint32_t> ipu;     ///< none: all
  std::optional<std::uint32_t> tile;    ///< none: all
  std::optional<std::uint32_t> context; ///< none: all
  bool lists = true;                    ///< every instruction; else statistics alone
  std::uint64_t most = 1'000'000;       ///< how many instructions are listed by one IPU
};

/// Reads "directory=/tmp/x,ipu=0,tile=3,context=2,lists=0,most=1000", as $COPSE_TILE_TRACE has it.
/// Only the directory must be there, and none of its characters may be a comma.
/// \returns InvalidOption with what is wrong
wire::Result<TileTraceOptions> parseTileTrace(std::string_view text);

} // namespace copse::ipud
