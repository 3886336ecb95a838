#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <string>

namespace copse::ipud {

/// Returns the words for a step in messages to people: its number, and what it is in the user's
/// program if it waits or decides something; for a sync point also what it stands before, for an
/// exchange the group in which its IPUs synced before it.
std::string describeStep(const wire::Image &image, std::uint32_t step);

} // namespace copse::ipud
