#pragma once

#include "wire/result.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace copse::metrics {

/// One figure of a daemon at one moment. Names follow Prometheus' conventions: copse_DAEMON_WHAT,
/// base units in the name, `_total` at the end of counters. docs/metrics.md lists them all.
struct Metric {
  enum class Kind : std::uint8_t {
    Counter, ///< only grows, from the start of the process on
    Gauge,
  };
  std::string name;
  Kind kind = Kind::Counter;
  std::string help; ///< one sentence without a full stop
  double value = 0;
  std::map<std::string, std::string> labels{};
};

/// Serves a daemon's metrics over HTTP at /metrics, in the text format of Prometheus.
///
/// Life: start when everything that the source reads exists, destroy before it is destroyed.
class MetricsServer {
public:
  /// Returns the metrics at each scrape. Called on a thread of the server's own; two scrapes do not
  /// overlap. Metrics of one name must be next to each other.
  using Source = std::function<std::vector<Metric>()>;

  /// \param listen  "ADDRESS:PORT", such as "127.0.0.1:9471"; for port 0 the OS chooses one
  /// \returns InvalidOption if it cannot listen there
  static wire::Result<std::unique_ptr<MetricsServer>> start(const std::string &listen,
                                                            Source source);
  ~MetricsServer();

  /// Returns the real "ADDRESS:PORT".
  const std::string &address() const;

private:
  class Impl;
  explicit MetricsServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace copse::metrics
