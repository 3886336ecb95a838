#pragma once

#include "isa/instruction.hpp"

#include <cstdint>
#include <optional>

namespace copse::ipud {

/// How an instruction uses three packed addresses, each for 64 bits. Aux registers from 8 on: none.
struct PaceForm {
  static constexpr std::uint8_t kNone = 8;
  bool isUsed[3] = {};                     ///< addresses: of two loads and of a store
  std::uint8_t loaded[2] = {kNone, kNone}; ///< pairs that the first two are for
  std::uint8_t stored = kNone;             ///< the pair that the last is for
  bool mustInterleave = false;             ///< the second address
  std::uint8_t pair = 0;                   ///< main registers with the addresses
  std::uint8_t stride = 15;                ///< main register with three strides; 15: all are 0
  std::uint8_t codes[3] = {};              ///< what each address moves by; 0: one element
};

/// \returns nothing for other instructions
std::optional<PaceForm> paceFormOf(const isa::Instruction &instruction);

} // namespace copse::ipud
