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

/// Where a daemon listens. A tcp endpoint may leave its port to the OS ("tcp://127.0.0.1:*").
struct Endpoints {
  std::string control; ///< for the host
  std::string link;    ///< for the neighbours on the IPU-Links
  std::string sync;    ///< for the members of a sync group, when this IPU coordinates it
};

/// How a daemon notices that its host is gone.
enum class HostWatch : std::uint8_t {
  Heartbeats, ///< by its silence: the host may be on another machine
  LifeLine    ///< by other means (a pipe, or it is this process): a host that is stopped or in a
              ///< debugger keeps its IPU
};

/// One IPU that a host holds over a session (SESSION.md): what the program `ipud` runs, and what a
/// host that wants its IPUs as threads makes several of.
///
/// Threads: one for all sockets, one that runs the IPU's control program; the IPU's own workers
/// beside them. Nothing that comes in over a socket ends the daemon: what is malformed or out of
/// place is counted, logged and dropped, and what cannot be done is answered with its Status.
class Daemon {
public:
  /// \param context  of the process; outlives the daemon
  /// \param name     for the log: "ipu 3"
  /// \param keys     who may speak to it, and as whom; null: everybody. They need tcp endpoints
  /// \param links    how its IPU-Links behave
  /// \returns InvalidOption when an endpoint cannot be listened at; OutOfMemory when threads or
  /// descriptors run out
  static wire::Result<std::unique_ptr<Daemon>>
  start(zmq::context_t &context, const Endpoints &listen, const std::string &name,
        HostWatch watch = HostWatch::Heartbeats, std::shared_ptr<const fabric::Keyring> keys = {},
        fabric::LinkOptions links = {});
  /// Stops a run that is going on, closes the sockets (and removes their ipc files), joins the
  /// threads.
  ~Daemon();

  /// Before an orderly end: a run that is going on gets \p patience to finish, and is stopped then;
  /// the host is told that this IPU ends.
  void drain(std::chrono::milliseconds patience);

  /// What it has counted so far. Any thread, but only while the daemon lives.
  Figures figures();

  /// Where it really listens.
  const Endpoints &endpoints() const;

private:
  class Impl;
  explicit Daemon(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace copse::ipud
