#pragma once

#include "poplar/OptionFlags.hpp"

namespace copse::types {

/// \p flags with those of the environment variable \p variable, a flat JSON object, put over them.
/// \throws poplar::parse_error that names the variable if it is not well-formed
poplar::OptionFlags withEnvironment(const poplar::OptionFlags &flags, const char *variable);

} // namespace copse::types
