#pragma once

#include "poplar/Target.hpp"
#include "types/engine_options.hpp"

namespace copse::engine {

/// \p flags with those of the environment, checked, also against what \p target can do. Warns once
///   of what has no effect.
/// \throws poplar::invalid_option, poplar::parse_error
types::EngineOptions checkedOptions(const poplar::OptionFlags &flags, const poplar::Target &target);

} // namespace copse::engine
