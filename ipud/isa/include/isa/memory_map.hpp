#pragma once

#include "isa/architecture.hpp"

#include <cstdint>

namespace copse::isa {

/// The addresses of a tile's memory regions [bytes]. Source: guide, 7.2.2 and 7.2.3.
struct MemoryMap {
  std::uint32_t begin;       ///< begin of region 0, which holds code
  std::uint32_t interleaved; ///< start of region 1, whose elements are pairs of banks
  std::uint32_t end;
};

/// The size of a memory element of region 0. An element of region 1 is a pair of these.
inline constexpr std::uint32_t kElementBytes = 0x4000;

constexpr MemoryMap memoryMapOf(Architecture architecture) {
  return architecture == Architecture::Ipu1 ? MemoryMap{0x40000, 0x60000, 0x80000}
                                            : MemoryMap{0x4C000, 0x80000, 0xE8000};
}

} // namespace copse::isa
