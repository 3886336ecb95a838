#pragma once

#include "cluster/cluster.hpp"

#include <nlohmann/json.hpp>

namespace copse::tools {

/// Asks every daemon of a cluster for its state, all at once, and returns
///   - ipus      [{ipu, state, holder, sessions, pid, control}]; state: free, held, running, silent
///   - activity  [{ipu, runs, steps, modelled_cycles, bytes_from_host, bytes_to_host}] since each
///     daemon started: runs that were begun, steps of control programs, bytes of streams
///   - links     [{ipu, neighbour, bytes_sent, bytes_received, packets_sent, packets_received,
///     resent}], of the partitions that programs have configured, with the partitions' numbers
///   - rbufd     {state, endpoint}, if there is one; state: up, silent
///   - ready     true if every daemon has answered
/// \throws std::runtime_error if this host program's keys cannot be read
nlohmann::ordered_json statusOf(const cluster::Cluster &cluster);

/// Prints the status as tables for people.
void printStatus(const nlohmann::ordered_json &status, std::ostream &out);

} // namespace copse::tools
