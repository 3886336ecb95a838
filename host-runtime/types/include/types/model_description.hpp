#pragma once

#include "poplar/IPUModel.hpp"
#include "types/target_description.hpp"

namespace copse::types {

/// The target of \p model's device. Halves have 2 bytes whatever \p accurateHalf says.
///
/// \param options  target options
/// \throws poplar::invalid_machine_model if the figures make no machine; poplar::invalid_option
TargetDescription describeModel(const poplar::IPUModel &model, const poplar::OptionFlags &options,
                                bool accurateHalf);

} // namespace copse::types
