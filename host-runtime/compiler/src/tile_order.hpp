#pragma once

#include "wire/image.hpp"

#include <vector>

namespace copse::compiler {

/// Returns true if a tile may start the compute set after \p exchange as soon as the moves to this
/// tile are done (wire::Exchange::byTile).
/// \param written  memory that the compute set writes, with local tile numbers
bool canGoByTile(const wire::Exchange &exchange, const std::vector<wire::Region> &written);

} // namespace copse::compiler
