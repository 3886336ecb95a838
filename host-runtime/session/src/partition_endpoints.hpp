#pragma once

#include "daemons.hpp"

#include "session/machine.hpp"
#include "wire/session.hpp"

#include <string>
#include <vector>

namespace copse::session {

/// Where the IPUs of a partition reach one another, in their order, as wire::session::Configure has
/// them.
struct PartitionEndpoints {
  std::vector<std::string> links, syncs;
  std::vector<std::string> names; ///< among the cluster's keys; none without keys
};

/// Of the IPUs of this host program.
PartitionEndpoints endpointsOf(const Daemons &daemons, const MachineOptions &options);
/// Of all IPUs of these shares, one share after another.
PartitionEndpoints endpointsOf(const std::vector<wire::session::Share> &shares);

} // namespace copse::session
