#pragma once

#include "clock/pod.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace copse::clock {

/// Reads a pod whose entries are complete.
/// \param text  as Constants takes it
/// \throws std::invalid_argument
Pod readPod(const nlohmann::json &file, const std::string &text);

} // namespace copse::clock
