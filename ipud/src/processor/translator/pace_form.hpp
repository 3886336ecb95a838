#pragma once

#include "isa/instruction.hpp"

#include <cstdint>
#include <optional>

namespace copse::ipud {

/// How an instruction uses three packed addresses of 64 bits each. Aux register numbers from 8 on
/// mean none.
struct PaceForm {
  static constexpr std::uint8_t kNone = 8;
  bool isUsed[3] = {};                     ///< addresses of two loads and a store
  std::uint8_t loaded[2] = {kNone, kNone}; ///< destination pairs of the first two
  std::uint8_t stored = kNone;             ///< source pair of the last
  bool mustInterleave = false;             ///< the second address must be interleaved
  std::uint8_t pair = 0;                   ///< main registers with the addresses
  std::uint8_t stride = 15;                ///< main register with three strides; 15: all are 0
  std::uint8_t codes[3] = {};              ///< stride selector of each address; 0: one element
};

/// \returns nothing for other instructions
std::optional<PaceForm> paceFormOf(const isa::Instruction &instruction);

} // namespace copse::ipud
