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

/// An event from an IPU.
struct Event {
  std::uint32_t ipu = 0;
  std::optional<ipud::SessionMessage> message; ///< empty: the IPU is lost
  wire::Status lost;
};

/// The sessions with all IPUs. A reactor owns the sockets. Received messages are queued for the
/// thread that calls next(), which runs the reactor while it waits.
///
/// Thread: any for send(), payload() and nudge(); one caller at a time for all other functions.
class Hub {
public:
  /// Handles row traffic at once on the reactor's thread, bypassing the queue.
  /// \returns true if it handled the message
  using RowTraffic = std::function<bool(std::uint32_t ipu, ipud::SessionMessage &)>;

  Hub(zmq::context_t &context, std::uint32_t ipus, std::chrono::milliseconds heartbeat,
      RowTraffic rows);
  ~Hub();
  /// Closes all sessions. Afterwards no message is delivered, and sent messages are dropped.
  void stop();
  Hub(const Hub &) = delete;
  Hub &operator=(const Hub &) = delete;

  /// The address of an ipud.
  struct Peer {
    std::string endpoint;
    std::string who;        ///< name for messages
    int pidDescriptor = -1; ///< see IpuLink
    const fabric::Keyring *keys = nullptr;
    std::string nameAmongKeys{};
  };
  /// Opens the session with \p ipu, replacing an older one.
  wire::Status open(std::uint32_t ipu, const Peer &peer);
  void close(std::uint32_t ipu);

  void send(std::uint32_t ipu, ipud::SessionMessage message);
  /// Returns memory for a payload of one message to \p ipu, which is sent without a copy.
  fabric::Payload payload(std::uint32_t ipu, std::size_t bytes);

  /// Ends the current or next wait of a next() that heeds nudges.
  void nudge();

  /// Waits for the next event.
  /// \returns nothing at the deadline, or after nudge() if \p heedsNudges
  std::optional<Event> next(std::chrono::steady_clock::time_point deadline,
                            bool heedsNudges = false);

private:
  void put(Event event);
  void forget(std::uint32_t ipu);

  /// A link lives on the reactor; the mutex keeps it alive while another thread sends through it.
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
  fabric::Reactor reactor_; ///< last: its thread must end before the members that it uses
};

} // namespace copse::session
