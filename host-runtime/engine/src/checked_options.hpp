#pragma once

#include "poplar/Target.hpp"
#include "types/engine_options.hpp"

namespace copse::engine {

/// Returns \p flags combined with the environment's flags, checked also against the abilities of \p
/// target. Warns once about each option without effect.
/// \throws poplar::invalid_option, poplar::parse_error
types::EngineOptions checkedOptions(const poplar::OptionFlags &flags, const poplar::Target &target);

} // namespace copse::engine
