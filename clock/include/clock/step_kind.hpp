#pragma once

#include "wire/ids.hpp"
#include "wire/image.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace copse::clock {

/// The kind of work that a step does. Modelled cycles are accounted by this kind.
enum class StepKind : std::uint8_t {
  Compute,
  InternalExchange,
  GlobalExchange,
  HostExchange, ///< streams and remote buffers
  Sync          ///< including the wait for other IPUs
};
inline constexpr std::size_t kStepKinds = 5;

/// Returns the kind of a step, or nothing for a control-flow step, which neither computes nor moves
/// data. An exchange that leaves a chip is global for all IPUs of the replica.
std::optional<StepKind> kindOf(const wire::Image &image, const wire::Step &step);

/// The cycles of one IPU, by StepKind.
using CyclesByKind = std::array<wire::Cycles, kStepKinds>;

} // namespace copse::clock
