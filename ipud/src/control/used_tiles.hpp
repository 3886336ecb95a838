#pragma once

#include "wire/image.hpp"

#include <vector>

namespace copse::ipud {

/// Which tiles \p image has something on, or refers to, shape [tiles]: the others need no memory.
/// The image is a valid one.
std::vector<bool> usedTiles(const wire::Image &image);

} // namespace copse::ipud
