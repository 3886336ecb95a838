#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <string>

namespace copse::ipud {

/// Returns a description of a step for messages: its number, and the name in the user's program if
/// the step waits or decides. For a sync point, the description says what follows it; for an
/// exchange, which group synced before it.
std::string describeStep(const wire::Image &image, std::uint32_t step);

/// Returns the name that the user's program gave to a While, If or Switch; empty if it gave none.
std::string nameOfBranch(const wire::Image &image, std::uint32_t step);

} // namespace copse::ipud
