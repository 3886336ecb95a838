#pragma once

#include "wire/image.hpp"

#include <vector>

namespace copse::ipud {

/// What \p step of \p image reads of tile memory before it does anything else, but for the vertices of compute sets. The
/// predicate of a While counts: it is read each time that its condition has run.
std::vector<wire::Region> regionsReadBy(const wire::Image &image, const wire::Step &step);

} // namespace copse::ipud
