#pragma once

#include "plan.hpp"

#include <poplar/OptionFlags.hpp>

namespace poplin {

/// Returns the demands in the options of convolutions. Keys that have no effect here are checked,
/// too. A partial type that is narrower than the input or the output becomes FLOAT.
/// \throws poplar::invalid_option
plan::Demands convolutionDemands(const poplar::OptionFlags &options, const poplar::Type &inputType,
                                 const poplar::Type &outputType);
/// Returns the demands in the options of matrix products.
plan::Demands matMulDemands(const poplar::OptionFlags &options, const poplar::Type &inputType,
                            const poplar::Type &outputType);

} // namespace poplin
