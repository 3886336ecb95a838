#pragma once

#include "cluster_watch.hpp"
#include "local_cluster.hpp"

#include "wire/image.hpp"

#include <CLI/CLI.hpp>
#include <string>

namespace copse::tools {

/// The subcommands of copse for clusters: up, status, down, keys, inject.
///
/// Life: construct before the arguments are parsed; if chosen() returns true afterwards, call
/// run().
class ClusterCommands {
public:
  /// Adds the subcommands to \p app; the object must live until \p app has parsed.
  explicit ClusterCommands(CLI::App &app);

  bool chosen() const { return *up_ || *status_ || *down_ || *keys_ || *inject_; }
  /// Executes the subcommand that was chosen.
  /// \returns what main() returns: 1 if a daemon of the cluster does not answer.
  /// \throws std::runtime_error
  int run() const;

private:
  int printStatus() const;
  int watchStatus() const;

  int writeKeys() const;
  int injectError() const;
  cluster::Cluster chosenCluster() const;

  CLI::App *up_, *status_, *down_, *keys_, *inject_;
  LocalCluster wanted_{defaultClusterDirectory()};
  std::string topology_ = "mesh", transport_ = "shm", file_;
  bool keysAsked_ = false, insecure_ = false;
  bool json_ = false, watch_ = false;
  WatchOptions watching_;
  unsigned ipu_ = 0;
  wire::TileAddress word_; ///< the IPU that gets a parity error
};

/// Returns the default cluster file: $COPSE_CLUSTER, else the file of the local cluster if it
/// exists, else empty.
std::string presentClusterFile();

} // namespace copse::tools
