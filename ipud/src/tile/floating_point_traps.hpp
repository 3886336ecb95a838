#pragma once

#include <cstdint>

namespace copse::ipud {

/// Makes the processor raise SIGFPE on this thread for exactly these events (fp::kInvalid and the
/// others).
void trapOn(std::uint32_t events);

} // namespace copse::ipud
