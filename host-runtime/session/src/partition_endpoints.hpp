#pragma once

#include "daemons.hpp"

#include "session/machine.hpp"
#include "wire/session.hpp"

#include <string>
#include <vector>

namespace copse::session {

/// The endpoints by which the IPUs of a partition reach each other, in order, as in
/// wire::session::Configure.
struct PartitionEndpoints {
  std::vector<std::string> links, syncs;
  std::vector<std::string> names; ///< among the cluster's keys; empty without keys
};

/// Returns the endpoints of the IPUs of this host program.
PartitionEndpoints endpointsOf(const Daemons &daemons, const MachineOptions &options);
/// Returns the endpoints of all IPUs of these shares, one share after another.
PartitionEndpoints endpointsOf(const std::vector<wire::session::Share> &shares);

} // namespace copse::session
