#pragma once

#include "doorbell.hpp"
#include "locks/mutex.hpp"

#include "fabric/reactor.hpp"
#include "fabric/spinning.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace copse::fabric {

/// Which thread waits for a node's bell: the reactor's, or a visitor, which has to wait for what the
/// rings bring. A visitor comes back soon as a rule. So when it leaves, the reactor's thread is not
/// woken for a message that can wait for the visitor's return, but looks again after kPatience; the longer visitors have
/// kept coming, the later, up to kMostPatience.
///
/// Life: construct, watch(); all on the reactor's thread. visit() by one other thread at a time;
/// interrupt() by any.
class Attendance {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPatience{100}, kMostPatience{800};

  /// \param something  whether poll() has something to do; any thread
  /// \param poll       does it; any thread
  Attendance(Reactor &reactor, Doorbell &bell, std::function<bool()> something,
             std::function<void()> poll);
  ~Attendance();
  Attendance(const Attendance &) = delete;
  Attendance &operator=(const Attendance &) = delete;

  /// The reactor's thread waits for the bell from now on.
  void watch();

  std::uint64_t interrupts() const { return interrupts_; }
  void interrupt();
  /// The visitor has found what it would have waited for: it is expected back.
  void passBy() {
    visits_.store(visits_.load(std::memory_order_relaxed) + 1,
                  std::memory_order_release); // nobody else writes it
    if (!patient_)
      becomePatient();
  }
  /// Does what there is to do, a part of it at once. Any thread.
  void look();
  /// Waits until something is there to do, or interrupts() is not \p seen.
  void visit(std::uint64_t seen, Clock::time_point deadline);

private:
  void awaitBell();
  void workAndWatch();
  bool watchAgain();
  void leave();
  void becomePatient();
  void expectVisitor();
  void patienceEnds();

  Reactor &reactor_;
  Doorbell &bell_;
  std::function<bool()> something_;
  std::function<void()> poll_;
  asio::posix::stream_descriptor event_; ///< of the bell, which owns it
  asio::steady_timer patience_;
  std::shared_ptr<const bool> present_ = std::make_shared<const bool>(true); ///< for handlers
  Spinning spinning_{Spinning::Others::Either};                              ///< the visitor's
  std::atomic<std::uint64_t> interrupts_{0}, visits_{0};
  std::atomic<bool> visited_{false}; ///< somebody is in visit(); changed under mutex_
  std::atomic<bool> patient_{false}; ///< the timer runs, or is about to
  std::uint64_t visitsSeen_ = 0;     ///< of the reactor's thread
  std::chrono::milliseconds patienceTime_ = kPatience; ///< likewise
  locks::Mutex mutex_; ///< of what the bell announces, but for a visitor's sleep
};

} // namespace copse::fabric
