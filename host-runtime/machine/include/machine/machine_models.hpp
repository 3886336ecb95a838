#pragma once

#include "types/target_description.hpp"

#include <string>

namespace copse::machine {

/// The machine model of a target, as JSON text: the file of configs/ that it names, as that was
/// when the library was built, with the figures that the target (an IPUModel, say) has of its own;
/// or the file that $COPSE_MACHINE_MODEL names, as it is.
/// \throws poplar::invalid_machine_model, poplar::file_load_error
std::string machineModelOf(const types::TargetDescription &target);

} // namespace copse::machine
