#pragma once

#include "plan.hpp"

#include <optional>
#include <poplar/OptionFlags.hpp>

namespace gcl {

/// The method that option `method` names; none for auto.
/// \throws poplar::invalid_option for values and options that Graphcore's library does not know
std::optional<Method> parseMethod(const poplar::OptionFlags &given);

} // namespace gcl
