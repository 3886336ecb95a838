#pragma once

#include "control/loaded.hpp"
#include "tile/tile_memory.hpp"

#include "wire/image.hpp"
#include "wire/result.hpp"

#include <cstdint>
#include <span>
#include <string>

/// Parity errors that others than codelets come upon: exchanges, the host, control programs.
namespace copse::ipud {

/// "memory parity error at address 0x50000; reset ..."
std::string memoryErrorText(std::uint32_t address);

/// Whether reading \p regions comes upon an error.
/// \returns MemoryError that names IPU, tile, address and \p reader
wire::Status checkErrors(const TileMemory &memory, wire::IpuId ipu,
                         std::span<const wire::Region> regions, const std::string &reader);

/// The same for what step \p at reads before it does anything else, but for the vertices of compute
/// sets, which find errors themselves. The predicate of a While counts: it is read each time that
/// its condition has run.
wire::Status checkErrors(const TileMemory &memory, const Loaded &loaded, std::uint32_t at);

} // namespace copse::ipud
