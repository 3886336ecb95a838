#pragma once

#include <cstdint>

namespace copse::ipud {

/// Lets the processor raise SIGFPE on this thread for events of fp::kInvalid and the others, and
/// for no other.
void trapOn(std::uint32_t events);

} // namespace copse::ipud
