#pragma once

#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// A cluster: ipuds (and an rbufd) that run before a host program comes and after it has gone. One
/// file describes it for its daemons and for host programs; docs/cluster.md explains the file to
/// users.
namespace copse::cluster {

/// The address of one daemon socket: the one to which others connect, and the one at which the
/// daemon listens.
struct ClusterEndpoint {
  std::string address; ///< "tcp://HOST:PORT" or "ipc:///path"
  /// The endpoint that the node binds: for ipc, the same text; for tcp, the address of an
  /// interface, with the same port.
  std::string listen;
  friend bool operator==(const ClusterEndpoint &, const ClusterEndpoint &) = default;
};

/// An IPU in a cluster file: the endpoints of its ipud.
struct ClusterIpu {
  ClusterEndpoint control; ///< endpoint for host programs
  ClusterEndpoint link;    ///< endpoint for neighbours on the IPU-Links
  ClusterEndpoint sync;    ///< endpoint for members of its sync groups
  std::string metrics;     ///< "ADDRESS:PORT" for Prometheus; empty: metrics are not served
  friend bool operator==(const ClusterIpu &, const ClusterIpu &) = default;
};

/// The rbufd in a cluster file, which keeps the remote buffers of all programs.
struct ClusterRbufd {
  ClusterEndpoint endpoint;
  std::string directory; ///< directory of rows; empty: rows are stored in memory
  std::string metrics;   ///< like ClusterIpu::metrics
  /// Name under which rows of all programs are stored; empty: rows last for one load of a program.
  std::string name;
  friend bool operator==(const ClusterRbufd &, const ClusterRbufd &) = default;
};

/// The contents of a file that readCluster() has accepted: all endpoints differ, and all IPUs use
/// one transport.
struct Cluster {
  static constexpr std::chrono::milliseconds kDefaultLease{3'000};

  std::string file; ///< path of the file, for messages
  wire::Topology topology = wire::Topology::Mesh;
  /// Silence after which a host program and its IPUs end their session [wall-clock].
  std::chrono::milliseconds lease = kDefaultLease;
  std::string pod; ///< name or path of the pod that the IPUs are in; empty: the program chooses
  std::vector<ClusterIpu> ipus; ///< by number; 1 or an even number up to kMaxIpus
  std::optional<ClusterRbufd> rbufd;
  std::vector<std::string> hosts{"host"}; ///< names of host programs, for keys; at least one
  /// Directory of keys (key_files.hpp); empty: there are no keys.
  std::filesystem::path keys;
};

/// Reads a cluster file.
/// \returns InvalidOption, with file, line and what to do, for a file that describes no cluster
wire::Result<Cluster> readCluster(const std::filesystem::path &file);

/// Reads the text of a cluster file, like readCluster(). Any text is safe.
/// \param name  name of the file, for messages
wire::Result<Cluster> parseCluster(const std::string &text, const std::string &name);

/// Returns the text of a file that readCluster() reads as \p cluster.
std::string formatCluster(const Cluster &cluster);

} // namespace copse::cluster
