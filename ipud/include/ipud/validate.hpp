#pragma once

#include "wire/image.hpp"
#include "wire/result.hpp"

namespace copse::ipud {

/// Checks everything about an image that can be checked without its modules: all indices and step
/// lengths are valid, all named memory is populated memory of an existing tile, messages, views and
/// flows have the sizes they claim, and calls do not recurse.
/// \returns InvalidImage saying what is wrong, and where
wire::Status validate(const wire::Image &image);

} // namespace copse::ipud
