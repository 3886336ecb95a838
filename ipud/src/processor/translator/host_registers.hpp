#pragma once

#include <array>
#include <cstddef>

namespace copse::ipud {

class LoopBody;
class CodeRegion;

/// Where host code keeps the tile's registers while it runs, at the place where the emitters are. All others stay in the Core;
/// those that were written go back there at each exit.
struct HostRegisters {
  std::array<int, 16> main{}; ///< host register of each main register; 0: none
  bool hasPairs = false;      ///< aux registers in xmm registers, with zeros in the upper halves
  /// Pairs have two places, xmm0 to xmm3 and xmm11 to xmm14, so that a result needs no copy after
  /// its check: the other place becomes the pair's. As bits, the pairs in the upper one.
  unsigned inUpper = 0;
  bool hasMatrix = false;               ///< calls of MatrixEmitter
  static constexpr unsigned kNone = 16; ///< of the main registers
  unsigned paced = kNone;               ///< the pair whose addresses PaceEmitter has

  /// The accumulators in registers; pairs then stay in the lower place.
  bool hasAccumulators() const { return hasPairs && hasMatrix; }
  /// Where paths meet, each pair must be in one place.
  bool hasSkips = false;
  bool canMovePairs() const { return hasPairs && !hasMatrix && !hasSkips; }
};

/// Gives host registers to what \p body uses most.
HostRegisters assignHostRegisters(const LoopBody &body);
HostRegisters assignHostRegisters(const CodeRegion &region);

} // namespace copse::ipud
