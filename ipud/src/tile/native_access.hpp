#pragma once

#include <cstdint>

namespace copse::ipud {

/// How a host instruction accesses the memory that it names.
struct NativeAccess {
  unsigned bytes = 64;     ///< upper bound, from the address on
  bool onlyStores = false; ///< the written bytes do not depend on the old ones
};

/// Decodes \p instruction, which has just faulted on data, as far as needed. An unknown instruction
/// is treated as a load of a cache line. For a string instruction, the result describes the side
/// that it writes.
NativeAccess nativeAccessOf(const std::uint8_t *instruction);

} // namespace copse::ipud
