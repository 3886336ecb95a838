#pragma once

#include <array>
#include <cstdint>

namespace copse::ipud {

/// The state that an IPU and a debugger share through the memory of the IPU's process.
/// VertexDebugger publishes the offsets of the members by name.
struct DebugState {
  static constexpr std::uint32_t kAnyTile = 0xFFFFFFFF;
  enum Stepping : std::uint32_t { Runs, OneInstruction };

  /// The debugger writes 1 when its breakpoint is set. Being traced is not enough, because a
  /// debugger attaches to threads one by one.
  volatile std::uint32_t isAttended = 0;

  // Written by the debugger: where to stop.
  std::array<char, 512> pattern{};   ///< vertex class; empty: none
  std::uint32_t onlyTile = kAnyTile; ///< restricts the stops to this tile
  std::uint32_t stepping = Runs;     ///< OneInstruction: stop after the next one of `context`
  std::uint32_t breakpointCount = 0; ///< number of breakpoints in tile code
  std::array<std::uint32_t, 64> breakpoints{}; ///< tile addresses

  // Written by the IPU: where it has stopped.
  std::uint64_t slot = 0;   ///< address 0 of the tile [native address]
  std::uint64_t vertex = 0; ///< vertex state [native address]
  std::uint64_t entry = 0;  ///< native code of the vertex [native address]; 0: tile code
  std::uint32_t ipu = 0, tile = 0, worker = 0;
  std::uint32_t context = 0;    ///< in tile code: a worker, or 6 for the supervisor
  std::uint32_t inTileCode = 0; ///< 1: between instructions; 0: before a vertex
  std::uint32_t pc = 0;
  std::array<std::uint32_t, 16> m{};
  std::array<std::uint32_t, 8> a{};
  std::uint64_t cycles = 0; ///< executed by the context since its launch
  std::array<char, 512> vertexName{}, computeSet{};
  std::array<char, 512> text{}; ///< the instruction in assembly
};

} // namespace copse::ipud
