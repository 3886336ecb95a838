#pragma once

#include "wire/image.hpp"
#include "wire/result.hpp"

namespace copse::ipud {

/// Checks all that can be checked of an image without its modules: every index and step length,
/// that all memory that is named is populated memory of a tile that exists, that messages, views
/// and flows have the sizes they say, and that calls do not recurse.
/// \returns InvalidImage  the message says what is wrong and where
wire::Status validate(const wire::Image &image);

} // namespace copse::ipud
