#pragma once

#include "plan.hpp"

#include <poplar/OptionFlags.hpp>

namespace poplin {

/// What the options of convolutions say. Keys that change nothing here are checked, too.
/// A partial type that is narrower than the input or the output is FLOAT.
/// \throws poplar::invalid_option
plan::Demands convolutionDemands(const poplar::OptionFlags &options, const poplar::Type &inputType,
                                 const poplar::Type &outputType);
/// The same for matrix products.
plan::Demands matMulDemands(const poplar::OptionFlags &options, const poplar::Type &inputType,
                            const poplar::Type &outputType);

} // namespace poplin
