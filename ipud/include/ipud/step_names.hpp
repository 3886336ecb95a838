#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <string>

namespace copse::ipud {

/// A step that waits for others or for the host, for people: its number, and what of the user's
/// program it is; of a sync point, also what it stands before; of an exchange, the group in which
/// its IPUs synced before it.
std::string describeStep(const wire::Image &image, std::uint32_t step);

} // namespace copse::ipud
