#pragma once

#include <cstdint>

namespace copse::ipud {

/// What an instruction of this processor does with the memory that it names.
struct NativeAccess {
  unsigned bytes = 64;     ///< at most so many, from the address on
  bool onlyStores = false; ///< what it writes there does not depend on what was there
};

/// Decodes \p instruction, which has just faulted on data, as far as that takes. What it does not
/// know counts as a load of a cache line. Of a string instruction it says what it does to the side
/// that it writes.
NativeAccess nativeAccessOf(const std::uint8_t *instruction);

} // namespace copse::ipud
