#pragma once

#include "isa/architecture.hpp"

#include "wire/image.hpp"

#include <cstdint>

namespace copse::ipud {

/// The memory map and widths of one generation's tiles. Source: the public architecture constants
/// of each generation.
struct Chip {
  isa::Architecture architecture;
  std::uint32_t begin, interleaved, end; ///< region 0 is [begin, interleaved), region 1 up to end
  std::uint32_t repeatMask;              ///< mask of a repeat count
  std::uint32_t accumulatorSets;         ///< number of sets of the AMP unit
  bool halfAmpRoundsStochastically;      ///< AMP and SLIC with half results follow $FP_CTL.ESR
  /// Tile code refers to native code by the addresses [wire::kNativeEntries, nativeEnd).
  std::uint32_t nativeEnd = 0;
};

inline bool isNativeEntry(const Chip &chip, std::uint32_t address) {
  return address >= wire::kNativeEntries && address < chip.nativeEnd && address % 4 == 0;
}

inline constexpr std::uint32_t kElementBits = 14; ///< memory elements hold 16 KiB

/// Returns the chip of an architecture. A CPU has no tile code; its native codelets use the matrix
/// unit of ipu2.
inline Chip chipOf(isa::Architecture architecture) {
  switch (architecture) {
  case isa::Architecture::Ipu1:
    return {architecture, 0x40000, 0x60000, 0x80000, 0xFFF, 1, true};
  case isa::Architecture::Cpu:
  case isa::Architecture::Ipu2:
    return {isa::Architecture::Ipu2, 0x4C000, 0x80000, 0xE8000, 0xFFFF, 2, true};
  case isa::Architecture::Ipu21:
    break;
  }
  return {isa::Architecture::Ipu21, 0x4C000, 0x80000, 0xE8000, 0xFFFF, 2, false};
}

} // namespace copse::ipud
