#pragma once

#include "processor/issue.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace copse::ipud {

/// How the operands of a load or store make its address.
struct AccessForm {
  std::uint32_t bytes = 0;
  bool isStore = false, isAux = false;
  bool signExtends = false;
  std::uint32_t copies = 1; ///< of what an aux register gets: all that fit into 32 bits
  std::uint8_t base = 0;    ///< main registers; 15 is zero
  std::uint8_t delta = 15;
  std::uint8_t offset = 15;    ///< counts elements
  std::uint32_t immediate = 0; ///< that is added [bytes]
  std::uint8_t stepped = 15;   ///< register that is moved afterwards; 15: none
  std::uint8_t stride = 15;    ///< by so many elements
  std::uint32_t strideBytes = 0;
};

/// \returns nothing for instructions that make no access, or several, or none of this simple kind
std::optional<AccessForm> accessFormOf(const isa::Instruction &instruction);

/// A number that is computed from main registers, modulo 2^32.
struct Linear {
  std::uint32_t constant = 0;
  std::array<std::uint32_t, 16> factors{};

  static Linear number(std::uint32_t value) { return {value, {}}; }
  static Linear reg(unsigned r);
  Linear operator+(const Linear &other) const;
  Linear operator*(std::uint32_t factor) const;
  friend bool operator==(const Linear &, const Linear &) = default;
};

/// An access of a loop's body whose address moves by the same in each turn.
struct MovingAccess {
  Linear address; ///< in the first turn, from the registers before it
  Linear step;    ///< by which it moves from turn to turn
  std::uint32_t bytes = 0;
};

/// What is known of a body's addresses.
struct LoopAddresses {
  std::vector<bool> moves; ///< of each issue: its access is one of `accesses`, which are checked
                           ///< before the loop. Shape [body]
  std::vector<MovingAccess> accesses;
};

/// \param body     straight, but for a branch at the end and skips
/// \param counter  main register that each turn takes 1 from at its end; 15: none
/// \param skipped  issues that some turns leave out. Shape [body]
LoopAddresses addressesOf(std::span<const Issue> body, unsigned counter,
                          const std::vector<bool> &skipped);

} // namespace copse::ipud
