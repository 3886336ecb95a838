#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// Who puts a row's bytes into the order in which they lie in tile memory.
enum class Rearrange : std::uint8_t {
  OnDevice, ///< an IPU's part travels in the order of the row
  OnHost,   ///< it travels in the order of tile memory: as few regions as can be on the IPU
};

/// Splits a row, whose bytes lie in \p regions one after another, into one view for each IPU.
/// Region::tile is a GlobalTile.
/// \returns shape [ipus]
std::vector<wire::HostView> splitRow(std::span<const wire::Region> regions, std::uint32_t ipus,
                                     std::uint32_t tilesPerIpu,
                                     Rearrange where = Rearrange::OnDevice);

/// Cuts the views of one row into as few parts as can be of which none has more than \p most bytes
/// on any IPU, but at least an element of \p elementBytes. Parts of one IPU come in the order in
/// which its bytes travel; an IPU may have nothing in the last of them.
/// \returns shape [parts][ipus]
std::vector<std::vector<wire::HostView>> cutViews(std::span<const wire::HostView> views,
                                                  std::uint64_t most, std::uint64_t elementBytes);

/// Whether the host rearranges the row's bytes: they do not travel in the order of the row.
bool isRearranged(const wire::HostView &view);

} // namespace copse::compiler
