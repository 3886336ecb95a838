#pragma once

#include "cluster/cluster.hpp"

#include "fabric/endpoint.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// A cluster whose daemons are processes of this machine: copse up, copse down.
namespace copse::tools {

/// What a local cluster is to be.
struct LocalCluster {
  std::filesystem::path directory; ///< of its file, sockets, logs and rows; made if need be, 0700
  std::uint32_t ipus = 4;
  wire::Topology topology = wire::Topology::Mesh;
  /// Tcp: endpoints on loopback. Else Unix sockets in the directory; Shm: links through shared memory.
  fabric::TransportKind transport = fabric::TransportKind::Shm;
  bool keys = false; ///< connections are encrypted, and only peers with a key get in; tcp only
  std::chrono::milliseconds lease = cluster::Cluster::kDefaultLease;
};

/// $XDG_RUNTIME_DIR/copse, or /tmp/copse-UID.
std::filesystem::path defaultClusterDirectory();

/// The cluster file of the local cluster in \p directory, whether it is there or not.
std::filesystem::path clusterFileIn(const std::filesystem::path &directory);

/// Starts an ipud for each IPU and an rbufd, and waits until all are ready. Of a cluster that is
/// there already, those that have ended are started again. What is started outlives this process.
/// \returns the cluster file.
/// \throws std::runtime_error, saying what to do; what it has started has ended then. Also if another
/// process starts or ends a cluster there
std::filesystem::path startCluster(const LocalCluster &wanted);

/// Ends the daemons in \p directory, by SIGTERM and, after three seconds, by SIGKILL, and removes
/// what they left, keys included, but for stored rows. Also what a copse up has left that was killed.
/// \returns how many daemons there were
/// \throws std::runtime_error if there is nothing of a cluster
std::size_t endCluster(const std::filesystem::path &directory);

} // namespace copse::tools
