#pragma once

#include "wire/ids.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace copse::clock {

/// The work of a step, and so the account that its cycles go to.
enum class StepKind : std::uint8_t {
  Compute,
  InternalExchange,
  GlobalExchange,
  HostExchange, ///< streams and remote buffers
  Sync          ///< with the wait for others
};
inline constexpr std::size_t kStepKinds = 5;

/// Of one IPU, by StepKind.
using CyclesByKind = std::array<wire::Cycles, kStepKinds>;

} // namespace copse::clock
