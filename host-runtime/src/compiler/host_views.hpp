#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// Splits a row, whose bytes lie in \p regions one after another, into one view for each IPU.
/// Region::tile is a GlobalTile.  \returns shape [ipus]
std::vector<wire::HostView> splitRow(std::span<const wire::Region> regions, std::uint32_t ipus,
                                     std::uint32_t tilesPerIpu);

} // namespace copse::compiler
