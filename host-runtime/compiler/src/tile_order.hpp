#pragma once

#include "wire/image.hpp"

#include <vector>

namespace copse::compiler {

/// Whether a tile may start the compute set after \p exchange as soon as the moves to this tile are done
/// (wire::Exchange::byTile).
/// \param written  what the compute set writes, with the tile numbers of the IPU
bool canGoByTile(const wire::Exchange &exchange, const std::vector<wire::Region> &written);

} // namespace copse::compiler
