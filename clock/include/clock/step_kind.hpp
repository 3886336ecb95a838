#pragma once

#include "wire/ids.hpp"
#include "wire/image.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

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

/// Returns the kind of a step that computes or moves something; none of a step that steers. An
/// exchange that leaves a chip is global for all IPUs of the replica.
std::optional<StepKind> kindOf(const wire::Image &image, const wire::Step &step);

/// The cycles of one IPU, by StepKind.
using CyclesByKind = std::array<wire::Cycles, kStepKinds>;

} // namespace copse::clock
