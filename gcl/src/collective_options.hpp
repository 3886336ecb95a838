#pragma once

#include "plan.hpp"

#include <optional>
#include <poplar/OptionFlags.hpp>

namespace gcl {

/// Returns the method that option `method` names; nothing for auto.
/// \throws poplar::invalid_option  for values and options that Graphcore's library does not have
std::optional<Method> parseMethod(const poplar::OptionFlags &given);

} // namespace gcl
