#pragma once

#include "wire/result.hpp"

#include <zmq.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace copse::fabric {
class Keyring;
}

namespace copse::remote_buffers {

/// Where an rbufd listens, and where its rows are.
struct DaemonOptions {
  /// The endpoint for hosts. A tcp endpoint may leave its port to the OS. Without keys, tcp is
  /// restricted to loopback.
  std::string listen = "tcp://127.0.0.1:*";
  /// The directory of the row files; if empty, rows are in memory.
  std::filesystem::path directory;
  /// The address of the metrics for Prometheus, as "ADDRESS:PORT" (fabric/metrics.hpp); empty: no
  /// metrics are served.
  std::string metrics;
  std::string logLevel = "warn"; ///< trace, debug, info, warn, error, critical or off
  /// The longest raw frame, in both directions.
  std::uint64_t maxMessageBytes = std::uint64_t{1} << 30;
  /// The keys of the peers that may connect; if null, any peer may.
  std::shared_ptr<const fabric::Keyring> keys{};
};

/// Reads options from a file with one JSON object {"listen", "directory", "metrics", "logLevel",
/// "maxMessageBytes"}. All keys are optional.
/// \returns InvalidOption naming file and key
wire::Result<DaemonOptions> readConfiguration(const std::filesystem::path &file);

/// Serves remote buffers to host programs (ROWS.md). The program `rbufd` runs one Daemon.
///
/// Thread: a thread of its own does all the work.
///
/// Errors: nothing that a peer sends can end the daemon. Malformed messages are counted, logged and
/// dropped; a request that cannot be served gets an answer that says why.
class Daemon {
public:
  /// \param context  the process's context; must outlive the daemon
  /// \returns InvalidOption if the endpoint, the directory or the metrics address cannot be used
  static wire::Result<std::unique_ptr<Daemon>> start(zmq::context_t &context,
                                                     const DaemonOptions &options);
  ~Daemon();

  /// Returns the endpoint with the port that the OS chose.
  const std::string &endpoint() const;
  /// Returns the address at which metrics are served; empty if they are not.
  std::string metricsAddress() const;

private:
  class Impl;
  explicit Daemon(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace copse::remote_buffers
