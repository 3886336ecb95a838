#pragma once

#include <array>
#include <cstddef>

namespace copse::ipud {

class LoopBody;

/// Where a loop's host code keeps the tile's registers while it runs. All others stay in the Core;
/// those that were written go back there at each exit.
struct HostRegisters {
  std::array<int, 16> main{}; ///< host register of each main register; 0: none
  bool hasPairs = false;      ///< aux registers in xmm0 to xmm3, with zeros in the upper halves
  bool hasMatrix = false;     ///< what MatrixEmitter needs
};

/// Gives host registers to what \p body uses most.
HostRegisters assignHostRegisters(const LoopBody &body);

} // namespace copse::ipud
