#pragma once

#include "clock/timing_model.hpp"

#include "types/target_description.hpp"

#include <cstdint>
#include <string>

namespace copse::machine {

/// Returns the machine model of \p replicas replicas of a target as JSON text: the file of configs/
/// that the target names, as it was when the library was built, with the target's own figures (of
/// an IPUModel, for example); or the file that $COPSE_MACHINE_MODEL names. Includes the pod that
/// the IPUs are in: see podTextOf().
/// \throws poplar::invalid_machine_model, poplar::file_load_error
std::string machineModelOf(const types::TargetDescription &target, std::uint32_t replicas = 1);

/// Returns the modelled clock of \p replicas replicas of a target.
/// \throws as machineModelOf()
clock::TimingModel timingModelOf(const types::TargetDescription &target, std::uint32_t replicas);

} // namespace copse::machine
