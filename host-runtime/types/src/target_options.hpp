#pragma once

#include "poplar/OptionFlags.hpp"
#include "types/target_description.hpp"

namespace copse::types {

/// Parses the options of createIPUTarget and of the device manager, overridden by
/// POPLAR_TARGET_OPTIONS.
///
/// \param defaults  the system's values for options that are not set
/// \throws poplar::invalid_option; poplar::parse_error if the variable is malformed
LinkOptions parseTargetOptions(const poplar::OptionFlags &flags, const LinkOptions &defaults);

/// Returns flags that give \p options on any system.
poplar::OptionFlags flagsOf(const LinkOptions &options);

} // namespace copse::types
