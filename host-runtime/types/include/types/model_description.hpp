#pragma once

#include "poplar/IPUModel.hpp"
#include "types/target_description.hpp"

#include <cstdint>

namespace copse::types {

/// How a device takes a program.
enum class Execution : std::uint8_t {
  Full,
  Modelled, ///< it moves on the modelled clock, and nothing else
};

/// Option copse.execution of a model's device, which is no option of its target.
/// \throws poplar::invalid_option
Execution executionOf(const poplar::OptionFlags &options);

/// The target of \p model's device. Halves have 2 bytes whatever \p accurateHalf says.
///
/// \param options  target options, and copse.execution
/// \throws poplar::invalid_machine_model if the figures make no machine; poplar::invalid_option
TargetDescription describeModel(const poplar::IPUModel &model, const poplar::OptionFlags &options,
                                bool accurateHalf);

} // namespace copse::types
