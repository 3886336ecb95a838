#pragma once

#include <array>
#include <cstddef>

namespace copse::ipud {

class LoopBody;
class CodeRegion;

/// Where host code keeps the tile's registers while it runs, at the current position of the
/// emitters. All other registers stay in the Core; written registers are stored back there at each
/// exit.
struct HostRegisters {
  std::array<int, 16> main{}; ///< host register of each main register; 0: none
  bool hasPairs = false; ///< aux registers are in xmm registers, with zeros in the upper halves
  /// Pairs have two places, xmm0 to xmm3 and xmm11 to xmm14. A result is computed in the free place
  /// and becomes the pair after its check, without a copy. A bit is set for each pair in the upper
  /// place.
  unsigned inUpper = 0;
  bool hasMatrix = false;               ///< there are calls of MatrixEmitter
  static constexpr unsigned kNone = 16; ///< no main register
  unsigned paced = kNone; ///< pair of main registers whose addresses PaceEmitter holds

  /// Returns true if accumulators are in registers; pairs then stay in the lower place.
  bool hasAccumulators() const { return hasPairs && hasMatrix; }
  /// True if paths join, where each pair must be in a fixed place.
  bool hasSkips = false;
  bool canMovePairs() const { return hasPairs && !hasMatrix && !hasSkips; }
};

/// Assigns host registers to the most used registers of \p body.
HostRegisters assignHostRegisters(const LoopBody &body);
HostRegisters assignHostRegisters(const CodeRegion &region);

} // namespace copse::ipud
