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

struct DaemonOptions {
  /// Where hosts connect to. A tcp endpoint may leave its port to the OS. Without keys, tcp is for
  /// loopback.
  std::string listen = "tcp://127.0.0.1:*";
  std::filesystem::path directory; ///< where rows are kept in files; empty: in memory
  /// Where Prometheus finds metrics, as "ADDRESS:PORT" (fabric/metrics.hpp); empty: nowhere
  std::string metrics;
  std::string logLevel = "warn"; ///< trace, debug, info, warn, error, critical or off
  std::uint64_t maxMessageBytes = std::uint64_t{1} << 30; ///< longest raw frame, of either side
  std::shared_ptr<const fabric::Keyring> keys{};          ///< who may speak to it; null: everybody
};

/// Options from a file, as one JSON object: {"listen", "directory", "metrics", "logLevel",
/// "maxMessageBytes"}, each of which may be left out.
/// \returns InvalidOption naming file and key
wire::Result<DaemonOptions> readConfiguration(const std::filesystem::path &file);

/// Serves remote buffers to host programs (ROWS.md): what the program `rbufd` runs.
///
/// Thread: one of its own does everything. Nothing that comes in over the socket ends the daemon:
/// what is malformed is counted, logged and dropped, and what cannot be done is answered.
class Daemon {
public:
  /// \param context  of the process; outlives the daemon
  /// \returns InvalidOption when the endpoint, the directory or the address of the metrics
  ///          cannot be used
  static wire::Result<std::unique_ptr<Daemon>> start(zmq::context_t &context,
                                                     const DaemonOptions &options);
  ~Daemon();

  /// Where it really listens.
  const std::string &endpoint() const;
  /// Where metrics are served; empty: nowhere.
  std::string metricsAddress() const;

private:
  class Impl;
  explicit Daemon(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace copse::remote_buffers
