#pragma once

#include <cstdint>

namespace copse::wire {

/// A kind of device that codelets are compiled for and images are made for. IPU architectures are
/// successive generations of one tile, oldest first, and each has all features of the earlier ones.
/// The numbers are part of the wire and file formats.
enum class Architecture : std::uint8_t { Cpu = 0, Ipu1 = 1, Ipu2 = 2, Ipu21 = 3 };

} // namespace copse::wire
