#pragma once

#include "clock/timing_model.hpp"

#include "types/target_description.hpp"

#include <cstdint>
#include <string>

namespace copse::machine {

/// The machine model of a target, as JSON text: the file of configs/ that it names, as that was
/// when the library was built, with the figures that the target (an IPUModel, say) has of its own;
/// or the file that $COPSE_MACHINE_MODEL names. With the pod that $COPSE_POD
/// names, if that is set.
/// \throws poplar::invalid_machine_model, poplar::file_load_error
std::string machineModelOf(const types::TargetDescription &target);

/// The modelled clock of \p replicas of a target.
/// \throws as machineModelOf()
clock::TimingModel timingModelOf(const types::TargetDescription &target, std::uint32_t replicas);

} // namespace copse::machine
