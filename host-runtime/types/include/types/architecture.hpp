#pragma once

#include <cstdint>

namespace copse::types {

/// A kind of device that codelets are compiled for.
enum class Arch : std::uint8_t { Cpu = 0, Ipu1 = 1, Ipu2 = 2, Ipu21 = 3 };

} // namespace copse::types
