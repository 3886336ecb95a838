#pragma once

#include "wire/image.hpp"

#include <vector>

namespace copse::ipud {

/// Returns for each tile whether \p image uses it, shape [tiles]; unused tiles need no memory. The
/// image must be valid.
std::vector<bool> usedTiles(const wire::Image &image);

} // namespace copse::ipud
