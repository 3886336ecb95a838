#pragma once

#include "fabric/link_node.hpp"
#include "ipud/figures.hpp"
#include "wire/result.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace copse::fabric {
class Keyring;
}

namespace copse::ipud {

/// The endpoints that a daemon listens at. A tcp endpoint may leave its port to the OS
/// ("tcp://127.0.0.1:*").
struct Endpoints {
  std::string control; ///< for the host
  std::string link;    ///< for neighbours on the IPU-Links
  std::string sync;    ///< for the members of a sync group that this IPU coordinates
};

/// How a daemon detects that its host is gone.
enum class HostWatch : std::uint8_t {
  Heartbeats, ///< by missing heartbeats: the host may be on another machine
  /// By other means: a pipe, or the host is this process. A host that is stopped or in a debugger
  /// then keeps its IPU.
  LifeLine
};

/// Serves one IPU to the host that holds it over a session (SESSION.md). The program `ipud` runs
/// one Daemon; a host program that runs its IPUs within its own process has a Daemon for each.
///
/// Threads: one for all sockets and one that runs the IPU's control program, besides the IPU's own
/// workers.
///
/// Errors: nothing that a peer sends can end the daemon. A malformed or unexpected message is
/// counted, logged and dropped; a request that fails is answered with its Status.
class Daemon {
public:
  /// \param context  the process's context; must outlive the daemon
  /// \param name     for the log, for example "ipu 3"
  /// \param keys     keys of peers that may connect; null: any peer may. Keys need tcp endpoints
  /// \param links    options of the IPU-Links
  /// \returns InvalidOption if an endpoint cannot be used; OutOfMemory if there are not enough
  ///   threads or descriptors
  static wire::Result<std::unique_ptr<Daemon>>
  start(zmq::context_t &context, const Endpoints &listen, const std::string &name,
        HostWatch watch = HostWatch::Heartbeats, std::shared_ptr<const fabric::Keyring> keys = {},
        fabric::LinkOptions links = {});
  /// Stops the current run, closes the sockets (and removes their ipc files), and joins the
  /// threads.
  ~Daemon();

  /// Prepares an orderly shutdown: tells the host that this IPU ends, and gives the current run \p
  /// timeout to finish before it is stopped.
  void drain(std::chrono::milliseconds timeout);

  /// Returns the current counters. Any thread may call this while the daemon exists.
  Figures figures();

  /// Returns the endpoints with the ports that the OS chose.
  const Endpoints &endpoints() const;

private:
  class Impl;
  explicit Daemon(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace copse::ipud
