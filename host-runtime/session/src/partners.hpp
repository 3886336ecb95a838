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

/// The other host programs that run replicas of the same program. They find one another by what
/// each announces at its first IPU: an ipud keeps that note for as long as its host holds it, and
/// shows it to everybody. So the notes of a host program that dies vanish within the lease, and no
/// host program needs to reach another one.
///
/// The one that runs replica 0 leads: it waits until the shares of all replicas are open, and then
/// announces which shares belong together, and their epoch.
///
/// Life: find(), awaitReady(); for each run watch(), rest(). Thread: the machine's; trouble() any.
class Partners {
public:
  using Clock = std::chrono::steady_clock;
  /// Announces a share at this host program's first IPU.
  using Announce = std::function<wire::Status(const wire::session::Share &)>;

  /// \param options  nodes, others, keys and heartbeatTimeout count
  /// \param onTrouble  called on a thread of this object when trouble() begins
  Partners(zmq::context_t &context, const MachineOptions &options, std::function<void()> onTrouble);
  ~Partners();
  Partners(const Partners &) = delete;
  Partners &operator=(const Partners &) = delete;

  /// Announces \p own, and waits until the shares of all other replicas are there.
  /// \returns all shares in the order of their replicas, \p own among them; all have its epoch then, or
  ///   - InvalidOption  another share cannot be of the same program: says which, and what differs
  ///   - Timeout        names the replicas that are missing at \p deadline
  ///   - as \p announce
  wire::Result<std::vector<wire::session::Share>>
  find(wire::session::Share &own, const Announce &announce, Clock::time_point deadline);

  /// Waits until the IPUs of all others are configured.
  /// \returns as trouble(), or Timeout
  wire::Status awaitReady(Clock::time_point deadline);

  /// From now on, until rest(), the others have to be there.
  void watch();
  void rest();
  /// Why the run since watch() cannot go on: a host program has ended, does not answer, or says that
  /// it has failed. The message names it. Success while all is well.
  wire::Status trouble() const;

  /// The failure behind \p fault, which may be a consequence of one in another host program: waits for
  /// that to show until all others have stopped as well, at most for the lease and a second. Else
  /// \p fault, which then names the host program of an IPU that it names.
  wire::Status causeOf(wire::Status fault);

private:
  struct Partner {
    std::uint32_t node = 0; ///< index into the other nodes: its first IPU
    std::string holder;
    wire::session::Share share;
    std::uint64_t messages = 0; ///< that its first IPU had got from it
    unsigned missing = 0;       ///< how often in a row its note was not there
    Clock::time_point answered{};
    bool stopped = false; ///< its run has failed, and it knows no cause of its own
  };
  using Found = std::vector<Partner>;
  struct Problem {
    wire::Status status;
    bool isCause = true; ///< else it may be a consequence of another one
  };

  /// The notes of all nodes, but for \p own, in its partition.
  Found read(const wire::session::Share &own);
  std::vector<wire::session::Share> keep(const std::vector<const wire::session::Share *> &shares,
                                         Found found);
  wire::Status conflict(const wire::session::Share &own, const Found &found);
  wire::Status missing(const wire::session::Share &own, const Found &found,
                       std::chrono::milliseconds waited) const;
  std::vector<std::uint32_t> allNodes() const;
  std::chrono::milliseconds timeBetweenLooks() const;
  /// Reads the notes of all partners once.
  /// \param everywhere  also at nodes that are not their first IPUs, though they have notes there
  /// \returns the first problem that is a cause, else the first one
  Problem look(bool everywhere = false);
  void answeredAt(std::uint32_t node) COPSE_REQUIRES(boardMutex_);
  static const wire::session::Share *noteOf(const Partner &partner,
                                            const NoticeBoard::States &states);
  Problem problemOf(Partner &partner, const NoticeBoard::States &states) const
      COPSE_REQUIRES(boardMutex_);
  bool allReady();
  bool allStopped();
  /// Partners have the whole lease to answer from now on.
  void freshen();
  /// What is wrong with the ones that a run waits for; as long as watching_.
  void watchLoop();
  wire::Status naming(wire::Status fault);

  const std::vector<Node> nodes_; ///< all but this host program's
  const std::chrono::milliseconds lease_;
  const std::function<void()> onTrouble_;
  locks::Mutex boardMutex_;
  NoticeBoard board_ COPSE_GUARDED_BY(boardMutex_);
  Found partners_ COPSE_GUARDED_BY(boardMutex_);      ///< those that were found
  std::map<std::uint64_t, std::uint64_t> firstHeard_; ///< of shares that conflict, by ticket

  mutable locks::Mutex mutex_;
  locks::Condition changed_;
  bool watching_ COPSE_GUARDED_BY(mutex_) = false;
  bool ending_ COPSE_GUARDED_BY(mutex_) = false;
  std::uint64_t watches_ COPSE_GUARDED_BY(mutex_) = 0; ///< calls of watch()
  wire::Status trouble_ COPSE_GUARDED_BY(mutex_);
  std::thread watcher_; ///< last: uses all else
};

} // namespace copse::session
