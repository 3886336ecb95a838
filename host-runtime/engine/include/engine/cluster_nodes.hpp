#pragma once

#include "cluster/cluster.hpp"

#include "session/machine.hpp"

#include <vector>

namespace copse::engine {

/// The machine is \p ipus of \p cluster, in that order, instead of processes of its own.
/// \returns InvalidOption if the cluster has keys, but none that this host program could read
wire::Status useNodes(const cluster::Cluster &cluster, const std::vector<unsigned> &ipus,
                      session::MachineOptions &options);

} // namespace copse::engine
