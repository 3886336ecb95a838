#pragma once

#include "clock/pod.hpp"

#include "types/target_description.hpp"

#include <cstdint>
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

/// Returns the parsed pod that $COPSE_POD names; nothing if that is unset, empty or "none".
/// \throws as podText()
std::optional<clock::Pod> podOfEnvironment();

/// Returns the complete text of the pod that \p ipus IPUs of \p target are in: the pod that
/// $COPSE_POD names, or else the pod of the target's cluster, or else the smallest system with as
/// many IPUs of the target's machine model. Returns nothing if $COPSE_POD is "none", if
/// $COPSE_MACHINE_MODEL describes the whole machine, for CPUs, and for more IPUs than a system of
/// the first generation (gc2) has.
/// \throws as podText(); poplar::invalid_machine_model if the pod has fewer IPUs
std::optional<std::string> podTextOf(const types::TargetDescription &target, std::uint32_t ipus);

/// Returns the pod that all IPUs of \p target are in, parsed; nothing as podTextOf().
std::optional<clock::Pod> podOf(const types::TargetDescription &target);

/// Returns \p target adapted to its pod: its IPU-Link domains are no larger than the pod's, and it
/// has gateways if the pod has GW-Links.
types::TargetDescription inItsPod(types::TargetDescription target);

} // namespace copse::machine
