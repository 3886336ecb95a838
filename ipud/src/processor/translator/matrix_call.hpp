#pragma once

#include "isa/instruction.hpp"

#include <cstdint>
#include <optional>

namespace copse::ipud {

/// An AMP or SLIC instruction with host code. All engines are active.
struct MatrixCall {
  bool isSlic = false;
  bool isSingle = false; ///< f32 inputs and weights; else halves
  unsigned sets = 1;
  bool halvesIn = false, halvesOut = false; ///< partial sums, and results
  unsigned group = 0;                       ///< group of weights, for halves
  unsigned row = 0;                         ///< row of weights, for f32
  bool startsSums = false;                  ///< phase 0 of AMP
  bool moves = true;                        ///< partial sums are moved in
  /// The second set runs one call late, on the input of the previous call, which is in $TAS. The
  /// sets take turns in delivering results.
  bool isLate = false;

  /// Returns this call restricted to one set.
  MatrixCall ofSet(unsigned set) const;
  /// Returns the set that delivers the results, if not all sets do.
  unsigned resultSet() const { return isLate && !moves ? 1 : 0; }
};

/// \returns nothing for all other instructions
std::optional<MatrixCall> matrixCallOf(const isa::Instruction &instruction);

/// Returns true if \p instruction makes the tile prepare FP8 weights at run time.
inline bool preparesQuarters(const isa::Instruction &instruction) {
  return instruction.opcode == isa::Opcode::F8v8hihov4amp ||
         instruction.opcode == isa::Opcode::F8v8hihov4slic;
}

/// Returns true if host code keeps the accumulators of \p instruction in memory.
inline bool isMac(const isa::Instruction &instruction) {
  return instruction.opcode == isa::Opcode::F32mac || instruction.opcode == isa::Opcode::F32v2mac;
}

} // namespace copse::ipud
