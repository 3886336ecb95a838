#pragma once

#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// A cluster: ipuds (and an rbufd) that are there before a host program comes and stay when it has
/// gone. Described by one file, which its daemons and host programs read alike; docs/cluster.md
/// explains it to users.
namespace copse::cluster {

/// Where one daemon socket is: what others connect to, and what the daemon listens at.
struct ClusterEndpoint {
  std::string address; ///< "tcp://HOST:PORT" or "ipc:///path"
  std::string listen;  ///< the same for ipc; for tcp an address of an interface with the same port
  friend bool operator==(const ClusterEndpoint &, const ClusterEndpoint &) = default;
};

struct ClusterIpu {
  ClusterEndpoint control; ///< for host programs
  ClusterEndpoint link;    ///< for neighbours on the IPU-Links
  ClusterEndpoint sync;    ///< for members of its sync groups
  std::string metrics;     ///< "ADDRESS:PORT" for Prometheus; empty: none are served
  friend bool operator==(const ClusterIpu &, const ClusterIpu &) = default;
};

struct ClusterRbufd {
  ClusterEndpoint endpoint;
  std::string directory; ///< of rows; empty: they are kept in memory
  std::string metrics;   ///< as ClusterIpu::metrics
  std::string name;      ///< that rows of all programs are kept under; empty: for one load of each
  friend bool operator==(const ClusterRbufd &, const ClusterRbufd &) = default;
};

/// Values of a file that readCluster() has accepted: all endpoints differ, and IPUs are all of one
/// transport.
struct Cluster {
  static constexpr std::chrono::milliseconds kDefaultLease{3'000};

  std::string file; ///< that it was read from; for messages
  wire::Topology topology = wire::Topology::Mesh;
  /// Silence after which a host program and its IPUs give each other up [wall-clock].
  std::chrono::milliseconds lease = kDefaultLease;
  std::string pod; ///< name or path of the pod that the IPUs are in; empty: the program chooses
  std::vector<ClusterIpu> ipus; ///< by number; 1 or an even number up to kMaxIpus
  std::optional<ClusterRbufd> rbufd;
  std::vector<std::string> hosts{"host"}; ///< names of host programs, for keys; at least one
  std::filesystem::path keys;             ///< directory of keys (key_files.hpp); empty: none
};

/// \returns InvalidOption, with file, line and what to do, for a file that describes no cluster
wire::Result<Cluster> readCluster(const std::filesystem::path &file);

/// As readCluster(). Any text is safe.
/// \param name  of the file, for messages
wire::Result<Cluster> parseCluster(const std::string &text, const std::string &name);

/// The text of a file that readCluster() reads as \p cluster.
std::string formatCluster(const Cluster &cluster);

} // namespace copse::cluster
