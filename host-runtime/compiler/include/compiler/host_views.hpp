#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// Where a row's bytes are brought into the order of tile memory.
enum class Rearrange : std::uint8_t {
  OnDevice, ///< an IPU's part travels in the order of the row
  OnHost,   ///< an IPU's part travels in the order of tile memory, with as few regions as possible
};

/// Splits a row into one view per IPU. The row's bytes are in \p regions, one after another;
/// Region::tile is a GlobalTile.
/// \returns shape [ipus]
std::vector<wire::HostView> splitRow(std::span<const wire::Region> regions, std::uint32_t ipus,
                                     std::uint32_t tilesPerIpu,
                                     Rearrange where = Rearrange::OnDevice);

/// Cuts the views of one row into the fewest parts that have at most \p most bytes on any IPU, but
/// at least an element of \p elementBytes. An IPU's bytes keep their order; an IPU may have nothing
/// in the last parts.
/// \returns shape [parts][ipus]
std::vector<std::vector<wire::HostView>> cutViews(std::span<const wire::HostView> views,
                                                  std::uint64_t most, std::uint64_t elementBytes);

/// Returns true if the host rearranges the row's bytes: they do not travel in the order of the row.
bool isRearranged(const wire::HostView &view);

} // namespace copse::compiler
