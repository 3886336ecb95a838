#pragma once

#include "ipu_link.hpp"
#include "locks/mutex.hpp"

#include "fabric/reactor.hpp"
#include "ipud/session_message.hpp"

#include <zmq.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace copse::session {

/// Something that came from an IPU.
struct Event {
  std::uint32_t ipu = 0;
  std::optional<ipud::SessionMessage> message; ///< none: the IPU is lost
  wire::Status lost;
};

/// The sessions with all IPUs. A reactor owns the sockets; what arrives waits in a queue for the
/// thread that calls next(), which does the reactor's work while it waits.
///
/// Thread: send(), payload() and nudge() any; all else one caller at a time.
class Hub {
public:
  /// Row traffic does not wait in the queue: it is handed over at once, on the reactor's thread.
  /// \returns whether it took the message
  using RowTraffic = std::function<bool(std::uint32_t ipu, ipud::SessionMessage &)>;

  Hub(zmq::context_t &context, std::uint32_t ipus, std::chrono::milliseconds heartbeat,
      RowTraffic rows);
  ~Hub();
  /// Closes all sessions. Nothing is handed over afterwards; what is sent is dropped.
  void stop();
  Hub(const Hub &) = delete;
  Hub &operator=(const Hub &) = delete;

  /// An ipud, and how to reach it.
  struct Peer {
    std::string endpoint;
    std::string who;        ///< for messages
    int pidDescriptor = -1; ///< as IpuLink takes it
    const fabric::Keyring *keys = nullptr;
    std::string nameAmongKeys{};
  };
  /// Opens the session with \p ipu, in place of an older one.
  wire::Status open(std::uint32_t ipu, const Peer &peer);
  void close(std::uint32_t ipu);

  void send(std::uint32_t ipu, ipud::SessionMessage message);
  /// Memory for a payload of one message to \p ipu, which is then not copied on the way.
  fabric::Payload payload(std::uint32_t ipu, std::size_t bytes);

  /// Ends a wait of next() that heeds it, this one or the next.
  void nudge();

  /// Waits for the next event.
  /// \returns none at the deadline, or after nudge() if \p heedsNudges
  std::optional<Event> next(std::chrono::steady_clock::time_point deadline,
                            bool heedsNudges = false);

private:
  void put(Event event);
  void forget(std::uint32_t ipu);

  /// A link lives on the reactor; the mutex keeps it while another thread sends through it.
  struct Slot {
    locks::Mutex mutex;
    std::unique_ptr<IpuLink> link COPSE_GUARDED_BY(mutex);
  };
  void put(std::uint32_t ipu, std::unique_ptr<IpuLink> link);

  zmq::context_t &context_;
  std::chrono::milliseconds heartbeat_;
  RowTraffic rows_;
  std::vector<Slot> links_; ///< by IPU

  locks::Mutex mutex_;
  std::deque<Event> events_ COPSE_GUARDED_BY(mutex_);
  std::atomic<bool> nudged_{false};

  bool stopped_ = false;
  fabric::Reactor reactor_; ///< last: its thread ends before anything that it uses
};

} // namespace copse::session
