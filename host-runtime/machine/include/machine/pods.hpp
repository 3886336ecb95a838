#pragma once

#include "clock/pod.hpp"

#include "types/target_description.hpp"

#include <optional>
#include <string>
#include <vector>

namespace copse::machine {

/// Returns the names of the pods of configs/pods/, in alphabetical order.
std::vector<std::string> podNames();

/// Returns the complete text of the pod that \p nameOrPath names: one of podNames(), or a file if
/// it contains a slash or ends in ".json".
/// \throws poplar::invalid_machine_model naming the file and its line, poplar::file_load_error
std::string podText(const std::string &nameOrPath);

/// Returns the complete text of the pod that $COPSE_POD names; nothing if that is unset or empty.
/// \throws as podText()
std::optional<std::string> podTextOfEnvironment();

/// Returns the parsed pod that $COPSE_POD names.
std::optional<clock::Pod> podOfEnvironment();

/// Returns \p target adapted to the pod of the environment: its IPU-Link domains are no larger than
/// the pod's, and it has gateways if the pod has GW-Links.
types::TargetDescription inPodOfEnvironment(types::TargetDescription target);

} // namespace copse::machine
