#pragma once

#include "locks/mutex.hpp"
#include "notice_board.hpp"

#include "session/machine.hpp"
#include "wire/session.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace copse::session {

/// Host programs that run replicas of one program must find each other and notice each other's
/// failures, although they have no connections between them. Each announces its share at its first
/// IPU: an ipud keeps that note while its host holds it, and shows it to every client. If a host
/// program dies, its notes vanish within the lease.
///
/// The host program of replica 0 leads: it waits until the shares of all replicas are open, and
/// then announces which shares belong together, and their epoch.
///
/// Life: find(), awaitReady(); for each run watch(), rest().
///
/// Thread: the machine's; any thread may call trouble().
class PeerHosts {
public:
  using Clock = std::chrono::steady_clock;
  /// Announces a share at this host program's first IPU.
  using Announce = std::function<wire::Status(const wire::session::Share &)>;

  /// \param options    only nodes, others, keys and heartbeatTimeout are used
  /// \param onTrouble  called on a thread of this object when trouble() begins
  PeerHosts(zmq::context_t &context, const MachineOptions &options,
            std::function<void()> onTrouble);
  ~PeerHosts();
  PeerHosts(const PeerHosts &) = delete;
  PeerHosts &operator=(const PeerHosts &) = delete;

  /// Announces \p own, and waits until the shares of all other replicas are announced.
  /// \returns all shares in the order of their replicas, including \p own; they have one epoch. Or
  ///   - InvalidOption  another share cannot belong to this program: says which one, and what
  ///     differs
  ///   - Timeout        names the replicas that are missing at \p deadline
  ///   - an error of \p announce
  wire::Result<std::vector<wire::session::Share>>
  find(wire::session::Share &own, const Announce &announce, Clock::time_point deadline);

  /// Waits until the IPUs of all peer hosts are configured.
  /// \returns the errors of trouble(), or Timeout
  wire::Status awaitReady(Clock::time_point deadline);

  /// Requires the peer hosts to be present from now on, until rest().
  void watch();
  void rest();
  /// Returns why the run since watch() cannot continue: a host program has ended, does not answer,
  /// or reports a failure. The message names it. Success if there is no problem.
  wire::Status trouble() const;

  /// Returns the failure that caused \p fault, which may have happened in another host program.
  /// Waits until that failure is reported or all others have stopped, at most for the lease and a
  /// second. Otherwise returns \p fault, with the host program of the IPU that it names.
  wire::Status causeOf(wire::Status fault);

private:
  struct PeerHost {
    std::uint32_t node = 0; ///< index into the other nodes: its first IPU
    std::string holder;
    wire::session::Share share;
    std::uint64_t messages = 0; ///< messages that its first IPU had received from it
    unsigned missing = 0;       ///< how often in a row its note was missing
    Clock::time_point answered{};
    bool stopped = false; ///< its run has failed, and it knows no earlier cause
  };
  using Found = std::vector<PeerHost>;
  struct Problem {
    wire::Status status;
    bool isCause = true; ///< false: possibly a consequence of another failure
  };

  /// Reads the notes of all nodes in the partition of \p own, except \p own.
  Found read(const wire::session::Share &own);
  std::vector<wire::session::Share> keep(const std::vector<const wire::session::Share *> &shares,
                                         Found found);
  wire::Status conflict(const wire::session::Share &own, const Found &found);
  wire::Status missing(const wire::session::Share &own, const Found &found,
                       std::chrono::milliseconds waited) const;
  std::vector<std::uint32_t> allNodes() const;
  std::chrono::milliseconds pollInterval() const;
  /// Reads the notes of all peer hosts once.
  /// \param everywhere  also at nodes other than their first IPUs
  /// \returns the first problem that is a cause, else the first problem
  Problem readNotes(bool everywhere = false);
  void answeredAt(std::uint32_t node) COPSE_REQUIRES(boardMutex_);
  static const wire::session::Share *noteOf(const PeerHost &peer,
                                            const NoticeBoard::States &states);
  Problem problemOf(PeerHost &peer, const NoticeBoard::States &states) const
      COPSE_REQUIRES(boardMutex_);
  bool allReady();
  bool allStopped();
  /// Restarts the lease of all peer hosts.
  void freshen();
  /// Checks the peer hosts that a run waits for, while watching_ is set.
  void watchLoop();
  wire::Status naming(wire::Status fault);

  const std::vector<Node> nodes_; ///< all nodes except this host program's
  const std::chrono::milliseconds lease_;
  const std::function<void()> onTrouble_;
  locks::Mutex boardMutex_;
  NoticeBoard board_ COPSE_GUARDED_BY(boardMutex_);
  Found peers_ COPSE_GUARDED_BY(boardMutex_); ///< the peer hosts that were found
  /// When conflicting shares were first seen, by ticket.
  std::map<std::uint64_t, std::uint64_t> firstHeard_;

  mutable locks::Mutex mutex_;
  locks::Condition changed_;
  bool watching_ COPSE_GUARDED_BY(mutex_) = false;
  bool ending_ COPSE_GUARDED_BY(mutex_) = false;
  std::uint64_t watches_ COPSE_GUARDED_BY(mutex_) = 0; ///< number of calls of watch()
  wire::Status trouble_ COPSE_GUARDED_BY(mutex_);
  std::thread watcher_; ///< last: uses all other members
};

} // namespace copse::session
