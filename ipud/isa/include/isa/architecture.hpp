#pragma once

#include "wire/architecture.hpp"

#include <cstdint>

namespace copse::isa {

/// The generation that introduced an instruction or register; later generations have it too. A CPU
/// has no tile instructions.
using wire::Architecture;

/// The kinds of thread on a tile: its supervisor, and its workers.
enum class Context : std::uint8_t { Supervisor, Worker };

} // namespace copse::isa
