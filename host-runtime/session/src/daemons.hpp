#pragma once

#include "disk_cache/private_directory.hpp"
#include "ipud/daemon.hpp"
#include "session/ipud_process.hpp"
#include "session/machine.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace copse::session {

/// The ipuds of a machine: processes over ipc or tcp or objects in this process, which end with
/// this object and leave no files behind; or existing nodes of a cluster.
///
/// Thread: one at a time.
class Daemons {
public:
  /// \param context  for daemons in this process; must outlive this object
  static wire::Result<std::unique_ptr<Daemons>> start(const MachineOptions &options,
                                                      zmq::context_t &context);
  ~Daemons();

  /// Restarts \p ipu in whatever state the old process is. Nodes are not restarted; their endpoints
  /// stay.
  /// \returns NotFound, Timeout, Disconnected
  wire::Status restart(std::uint32_t ipu);

  const ipud::Endpoints &endpoints(std::uint32_t ipu) const { return endpoints_[ipu]; }
  /// Returns the name for messages: "ipu 2 (pid 123)".
  std::string who(std::uint32_t ipu) const;
  /// Returns -1 for a daemon in this process.
  int pidDescriptor(std::uint32_t ipu) const;
  std::vector<int> processes() const;

private:
  Daemons(const MachineOptions &options, zmq::context_t &context);
  wire::Status checkResources() const;
  wire::Status startAll();
  ipud::Endpoints where(std::uint32_t ipu);
  wire::Status startHere(std::uint32_t ipu);
  wire::Status spawn(std::uint32_t ipu);
  wire::Status awaitReady(std::uint32_t ipu, std::chrono::steady_clock::time_point deadline);

  MachineOptions options_;
  zmq::context_t &context_;
  std::string program_;          ///< path of ipud
  std::uint32_t generation_ = 0; ///< number in endpoints: a restarted daemon gets new ones
  std::optional<disk_cache::PrivateDirectory> directory_;
  std::optional<LifeLine> lifeLine_;
  std::vector<ipud::Endpoints> endpoints_;
  std::vector<std::unique_ptr<ipud::Daemon>> here_;
  std::vector<std::optional<IpudProcess>> processes_;
};

} // namespace copse::session
