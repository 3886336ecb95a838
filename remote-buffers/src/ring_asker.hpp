#pragma once

#include "locks/mutex.hpp"

#include "fabric/frames.hpp"
#include "fabric/payload.hpp"
#include "fabric/reactor.hpp"
#include "fabric/ring_socket.hpp"

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace copse::remote_buffers {

/// A connection to an rbufd of this machine through shared memory. The waiting thread runs the
/// connection's event loop itself.
///
/// Thread: one at a time.
class RingAsker {
public:
  using Clock = fabric::Reactor::Clock;

  /// \returns null if no rbufd accepts ring connections at \p path
  static std::unique_ptr<RingAsker> dial(const std::string &path);
  ~RingAsker();
  RingAsker(const RingAsker &) = delete;
  RingAsker &operator=(const RingAsker &) = delete;

  /// Returns true if the rbufd has closed the connection or has ended; no more messages arrive.
  bool ended() const { return ended_; }
  /// Returns memory for a frame that send() passes on without a copy.
  fabric::Payload payload(std::size_t bytes) { return socket_->payload(bytes); }
  /// \returns true if the message was sent before the deadline
  bool send(fabric::Frames &frames, Clock::time_point deadline);
  /// \returns the next message, or nothing if none arrives before the deadline
  std::optional<fabric::Frames> receive(Clock::time_point deadline);

private:
  RingAsker() = default;

  std::unique_ptr<fabric::RingSocket> socket_;
  std::atomic<bool> ended_{false}, writable_{false};
  locks::Mutex mutex_;
  std::deque<fabric::Frames> came_ COPSE_GUARDED_BY(mutex_);
  /// The last member, because it must be destroyed before the members that it uses.
  fabric::Reactor reactor_{"copse-rows"};
};

} // namespace copse::remote_buffers
