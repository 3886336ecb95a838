#pragma once

#include "wire/image.hpp"

#include <vector>

namespace copse::ipud {

/// Returns the tile memory that \p step of \p image reads before it does anything else, without the
/// reads of vertices. The predicate of a While is included, as it is read each time its condition
/// has run.
std::vector<wire::Region> regionsReadBy(const wire::Image &image, const wire::Step &step);

} // namespace copse::ipud
