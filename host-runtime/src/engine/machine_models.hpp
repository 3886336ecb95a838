#pragma once

#include <string>

namespace copse::engine {

/// The JSON text of configs/\p name.json as it was when the library was built, or of the file that
/// $COPSE_MACHINE_MODEL names. \throws poplar::invalid_machine_model, poplar::file_load_error
std::string machineModelJson(const std::string &name);

} // namespace copse::engine
