#pragma once

#include "wire/architecture.hpp"

#include <cstdint>

namespace copse::isa {

/// An instruction or register that one generation has, later ones have, too. A CPU has no tile instructions.
using wire::Architecture;

/// The threads of a tile that instructions and registers belong to: its control thread, or one of its workers.
enum class Context : std::uint8_t { Supervisor, Worker };

} // namespace copse::isa
