#pragma once

#include "poplar/OptionFlags.hpp"
#include "types/target_description.hpp"

namespace copse::types {

/// Options of createIPUTarget and of the device manager, with those of POPLAR_TARGET_OPTIONS put
/// over them.
///
/// \param defaults  of the system: what an option that is not set gives
/// \throws poplar::invalid_option; poplar::parse_error if the variable is malformed
LinkOptions parseTargetOptions(const poplar::OptionFlags &flags, const LinkOptions &defaults);

/// The other way round: flags that give \p options whatever the system.
poplar::OptionFlags flagsOf(const LinkOptions &options);

} // namespace copse::types
