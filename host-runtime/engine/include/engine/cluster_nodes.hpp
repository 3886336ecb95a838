#pragma once

#include "engine/cluster_part.hpp"
#include "session/machine.hpp"

#include <vector>

namespace copse::engine {

/// Sets \p options to a machine of the IPUs \p ipus of \p part (numbers in its cluster, in that
/// order), instead of processes that this program starts. Host programs of the same job are
/// searched at the other IPUs of the partition.
/// \returns InvalidOption if the cluster uses keys but this host program can read none of them
wire::Status useNodes(const ClusterPart &part, const std::vector<unsigned> &ipus,
                      session::MachineOptions &options);

} // namespace copse::engine
