#pragma once

#include "cluster/cluster.hpp"

#include "fabric/endpoint.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// Clusters whose daemons are processes of this machine: copse up, copse down.
namespace copse::tools {

/// The settings of a local cluster.
struct LocalCluster {
  /// Holds its file, sockets, logs and rows; created if necessary, 0700.
  std::filesystem::path directory;
  std::uint32_t ipus = 4;
  wire::Topology topology = wire::Topology::Mesh;
  /// Tcp: endpoints on loopback. Else Unix sockets in the directory; Shm: links through shared
  /// memory.
  fabric::TransportKind transport = fabric::TransportKind::Shm;
  /// Connections are encrypted, and only peers with a key are accepted; tcp only.
  bool keys = false;
  std::chrono::milliseconds lease = cluster::Cluster::kDefaultLease;
};

/// Returns $XDG_RUNTIME_DIR/copse, or /tmp/copse-UID.
std::filesystem::path defaultClusterDirectory();

/// Returns the path of the cluster file in \p directory, whether it exists or not.
std::filesystem::path clusterFileIn(const std::filesystem::path &directory);

/// Starts an ipud for each IPU and an rbufd, and waits until all are ready. If the cluster exists
/// already, starts only daemons that have ended. The daemons outlive this process.
/// \returns the cluster file.
/// \throws std::runtime_error, saying what to do, also if another process starts or ends a cluster
///   there; the daemons that this call has started have ended then
std::filesystem::path startCluster(const LocalCluster &wanted);

/// Ends the daemons in \p directory, by SIGTERM and, after three seconds, by SIGKILL, and removes
/// their files, keys included, except stored rows. Also cleans up after a copse up that was killed.
/// \returns how many daemons there were
/// \throws std::runtime_error if there is no cluster
std::size_t endCluster(const std::filesystem::path &directory);

} // namespace copse::tools
