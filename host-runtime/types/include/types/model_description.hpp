#pragma once

#include "poplar/IPUModel.hpp"
#include "types/target_description.hpp"

#include <cstdint>

namespace copse::types {

/// How a device executes programs.
enum class Execution : std::uint8_t {
  Full,
  Modelled, ///< only the modelled clock advances
};

/// Returns the execution that $COPSE_EXECUTION requests: full (the default) or modelled.
/// \throws poplar::no_environment
Execution executionOfEnvironment();

/// Returns the option copse.execution of a model's device, which is not an option of its target;
/// default: executionOfEnvironment().
/// \throws poplar::invalid_option, poplar::no_environment
Execution executionOf(const poplar::OptionFlags &options);

/// Returns the target of \p model's device. Halves have 2 bytes whatever \p accurateHalf is.
///
/// \param options  target options, and copse.execution
/// \throws poplar::invalid_machine_model if the figures are inconsistent; poplar::invalid_option
TargetDescription describeModel(const poplar::IPUModel &model, const poplar::OptionFlags &options,
                                bool accurateHalf);

} // namespace copse::types
