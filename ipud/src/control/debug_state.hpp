#pragma once

#include <array>
#include <cstdint>

namespace copse::ipud {

/// What an IPU and a debugger tell each other through this process's memory. VertexDebugger publishes where the members
/// are by their names.
struct DebugState {
  static constexpr std::uint32_t kAnyTile = 0xFFFFFFFF;
  enum Stepping : std::uint32_t { Runs, OneInstruction };

  /// Written by the debugger: 1 when its breakpoint stands. (Threads are attached one by one, so being traced tells less.)
  volatile std::uint32_t isAttended = 0;

  // Written by the debugger: what stops.
  std::array<char, 512> pattern{};             ///< class of vertices; empty: none
  std::uint32_t onlyTile = kAnyTile;           ///< of these vertices
  std::uint32_t stepping = Runs;               ///< OneInstruction: the next one of `context`
  std::uint32_t breakpointCount = 0;           ///< of tile code
  std::array<std::uint32_t, 64> breakpoints{}; ///< tile addresses

  // Written by the IPU: where it stands.
  std::uint64_t slot = 0;   ///< address 0 of the tile [native address]
  std::uint64_t vertex = 0; ///< state of the vertex [native address]
  std::uint64_t entry = 0;  ///< of native code [native address]; 0: tile code
  std::uint32_t ipu = 0, tile = 0, worker = 0;
  std::uint32_t context = 0;    ///< of tile code: a worker, or 6, the supervisor
  std::uint32_t inTileCode = 0; ///< 1: between instructions; 0: before a vertex
  std::uint32_t pc = 0;
  std::array<std::uint32_t, 16> m{};
  std::array<std::uint32_t, 8> a{};
  std::uint64_t cycles = 0; ///< of the context, since the launch
  std::array<char, 512> vertexName{}, computeSet{};
  std::array<char, 512> text{}; ///< the instruction, for people
};

} // namespace copse::ipud
