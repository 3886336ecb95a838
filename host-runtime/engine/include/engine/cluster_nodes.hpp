#pragma once

#include "engine/cluster_part.hpp"
#include "session/machine.hpp"

#include <vector>

namespace copse::engine {

/// Sets \p options to a machine of \p ipus of \p part, numbers in its cluster, in that order, instead
/// of processes of its own. Host programs of the same job are looked for at the other IPUs of the
/// partition.
/// \returns InvalidOption if the cluster has keys, but none that this host program could read
wire::Status useNodes(const ClusterPart &part, const std::vector<unsigned> &ipus,
                      session::MachineOptions &options);

} // namespace copse::engine
