#pragma once

#include "poplar/OptionFlags.hpp"

namespace copse::types {

/// Returns \p flags overridden by the environment variable \p variable, a flat JSON object.
/// \throws poplar::parse_error naming the variable if it is malformed
poplar::OptionFlags withEnvironment(const poplar::OptionFlags &flags, const char *variable);

} // namespace copse::types
