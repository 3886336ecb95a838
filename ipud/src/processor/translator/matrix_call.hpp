#pragma once

#include "isa/instruction.hpp"

#include <cstdint>
#include <optional>

namespace copse::ipud {

/// An AMP or SLIC instruction that host code is made of. All engines work.
struct MatrixCall {
  bool isSlic = false;
  bool isSingle = false; ///< f32 inputs and weights; else halves
  unsigned sets = 1;
  bool halvesIn = false, halvesOut = false; ///< partial sums, and results
  unsigned group = 0;                       ///< of weights that are halves
  unsigned row = 0;                         ///< of weights that are f32
  bool startsSums = false;                  ///< phase 0 of AMP
  bool moves = true;                        ///< partial sums go in
  /// The second set works a call behind, on the input of that call, which is in $TAS. Results leave
  /// the sets by turns.
  bool isLate = false;

  /// The same for one set.
  MatrixCall ofSet(unsigned set) const;
  /// Whose results come out, where not those of all sets.
  unsigned resultSet() const { return isLate && !moves ? 1 : 0; }
};

/// \returns nothing for all other instructions
std::optional<MatrixCall> matrixCallOf(const isa::Instruction &instruction);

/// Whether \p instruction makes the tile prepare weights as FP8 while it runs.
inline bool preparesQuarters(const isa::Instruction &instruction) {
  return instruction.opcode == isa::Opcode::F8v8hihov4amp ||
         instruction.opcode == isa::Opcode::F8v8hihov4slic;
}

/// Whether host code has the accumulators of \p instruction in memory.
inline bool isMac(const isa::Instruction &instruction) {
  return instruction.opcode == isa::Opcode::F32mac || instruction.opcode == isa::Opcode::F32v2mac;
}

} // namespace copse::ipud
