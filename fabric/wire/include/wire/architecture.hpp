#pragma once

#include <cstdint>

namespace copse::wire {

/// The kinds of device that codelets are compiled for and images are made for. IPUs are generations of one tile, oldest
/// first: what one of them has, later ones have, too. The numbers are part of the wire and file formats.
enum class Architecture : std::uint8_t { Cpu = 0, Ipu1 = 1, Ipu2 = 2, Ipu21 = 3 };

} // namespace copse::wire
