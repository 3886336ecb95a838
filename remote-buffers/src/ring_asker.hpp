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

/// A connection with an rbufd of this machine, through shared memory. Whoever waits does the work
/// of its loop meanwhile.
///
/// Thread: one at a time.
class RingAsker {
public:
  using Clock = fabric::Reactor::Clock;

  /// \returns null if nobody takes rings at \p path
  static std::unique_ptr<RingAsker> dial(const std::string &path);
  ~RingAsker();
  RingAsker(const RingAsker &) = delete;
  RingAsker &operator=(const RingAsker &) = delete;

  /// The rbufd has closed the connection, or has ended: nothing more comes.
  bool ended() const { return ended_; }
  /// Memory for a frame, which is then not copied on the way.
  fabric::Payload payload(std::size_t bytes) { return socket_->payload(bytes); }
  /// \returns whether the message went before the deadline
  bool send(fabric::Frames &frames, Clock::time_point deadline);
  /// \returns the next message, if one comes before the deadline
  std::optional<fabric::Frames> receive(Clock::time_point deadline);

private:
  RingAsker() = default;

  std::unique_ptr<fabric::RingSocket> socket_;
  std::atomic<bool> ended_{false}, writable_{false};
  locks::Mutex mutex_;
  std::deque<fabric::Frames> came_ COPSE_GUARDED_BY(mutex_);
  fabric::Reactor reactor_{"copse-rows"}; ///< last: it ends before what it uses
};

} // namespace copse::remote_buffers
