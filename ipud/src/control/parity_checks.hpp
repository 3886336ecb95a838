#pragma once

#include "control/loaded.hpp"
#include "tile/tile_memory.hpp"

#include "wire/image.hpp"
#include "wire/result.hpp"

#include <cstdint>
#include <span>
#include <string>

/// Detects parity errors in reads by exchanges, the host and control programs. Codelets detect
/// their own.
namespace copse::ipud {

/// Returns "memory parity error at address 0x50000; reset ...".
std::string memoryErrorText(std::uint32_t address);

/// Checks that \p regions have no parity error.
/// \returns MemoryError naming IPU, tile, address and \p reader
wire::Status checkErrors(const TileMemory &memory, wire::IpuId ipu,
                         std::span<const wire::Region> regions, const std::string &reader);

/// Checks the memory that step \p at reads before it does anything else. Vertices are left out,
/// because they find errors themselves. The predicate of a While is included, as it is read each
/// time its condition has run.
wire::Status checkErrors(const TileMemory &memory, const Loaded &loaded, std::uint32_t at);

} // namespace copse::ipud
