#pragma once

#include "cluster/cluster.hpp"

#include <nlohmann/json.hpp>

namespace copse::tools {

/// What every daemon of a cluster says of itself, asked all at once:
///   ipus   [{ipu, state, holder, sessions, pid, control}]; state: free, held, running, silent
///   activity  [{ipu, runs, steps, modelled_cycles, bytes_from_host, bytes_to_host}] since each
///          started: runs that were begun, steps of control programs, bytes of streams
///   links  [{ipu, neighbour, bytes_sent, bytes_received, packets_sent, packets_received, resent}],
///          of the partitions that programs have configured; numbers are those of the partition
///   rbufd  {state, endpoint}, if there is one; state: up, silent
///   ready  every daemon has answered
/// \\throws std::runtime_error if this host program's keys cannot be read
nlohmann::ordered_json statusOf(const cluster::Cluster &cluster);

/// The same as tables for people.
void printStatus(const nlohmann::ordered_json &status, std::ostream &out);

} // namespace copse::tools
