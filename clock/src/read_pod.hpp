#pragma once

#include "clock/pod.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace copse::clock {

/// Reads a pod from \p file, which must be complete.
/// \param text  from which \p file was parsed; if empty, errors name no line
/// \throws std::invalid_argument  naming the line and the key
Pod readPod(const nlohmann::json &file, const std::string &text);

} // namespace copse::clock
