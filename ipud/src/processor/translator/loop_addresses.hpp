#pragma once

#include "processor/issue.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace copse::ipud {

/// How a load or store computes its address from its operands.
struct AccessForm {
  std::uint32_t bytes = 0;
  bool isStore = false, isAux = false;
  bool signExtends = false;
  std::uint32_t copies = 1; ///< number of copies in an aux register: as many as fit into 32 bits
  std::uint8_t base = 0;    ///< main register; 15 is zero
  std::uint8_t delta = 15;
  std::uint8_t offset = 15;    ///< in elements
  std::uint32_t immediate = 0; ///< added constant [bytes]
  std::uint8_t stepped = 15;   ///< register that is stepped afterwards; 15: none
  std::uint8_t stride = 15;    ///< register with the step in elements
  std::uint32_t strideBytes = 0;
};

/// \returns nothing for an instruction without an access, with several accesses, or with a more
///   complex one
std::optional<AccessForm> accessFormOf(const isa::Instruction &instruction);

/// A linear function of main registers, modulo 2^32.
struct Linear {
  std::uint32_t constant = 0;
  std::array<std::uint32_t, 16> factors{};

  static Linear number(std::uint32_t value) { return {value, {}}; }
  static Linear reg(unsigned r);
  Linear operator+(const Linear &other) const;
  Linear operator*(std::uint32_t factor) const;
  friend bool operator==(const Linear &, const Linear &) = default;
};

/// An access in a loop's body whose address changes by a constant amount per turn.
struct MovingAccess {
  Linear address; ///< in the first turn, from the registers before it
  Linear step;    ///< change per turn
  std::uint32_t bytes = 0;
};

/// The known addresses of a body.
struct LoopAddresses {
  /// For each issue, whether its access is one of `accesses`, which are checked before the loop.
  /// Shape [body]
  std::vector<bool> moves;
  std::vector<MovingAccess> accesses;
};

/// \param body     straight-line code, except for a branch at the end and skips
/// \param counter  main register that is decremented at the end of each turn; 15: none
/// \param skipped  issues that some turns skip. Shape [body]
LoopAddresses addressesOf(std::span<const Issue> body, unsigned counter,
                          const std::vector<bool> &skipped);

} // namespace copse::ipud
