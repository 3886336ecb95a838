#pragma once

#include "parcel.hpp"

#include "fabric/link_node.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace copse::fabric {

/// Where the control program's thread and the node's thread meet: what has arrived for this IPU,
/// what it wants to send, and why all that has ended.
///
/// Thread: any. mutex_ guards everything below it.
class Desk {
public:
  using Clock = LinkNode::Clock;
  enum class Given { Taken, Full };

  /// \param wake  tells the node that there is room to deliver; any thread, must not block
  Desk(const LinkOptions &options, std::function<void()> wake)
      : options_(options), wake_(std::move(wake)) {}

  // The control program's side.

  /// Queues a parcel for the link to \p neighbour; blocks while that queue is full. Who posts sees
  /// to it that it is collected.
  wire::Status post(wire::IpuId neighbour, Parcel parcel);
  wire::Result<Payload> take(wire::IpuId from, std::uint32_t tag, Clock::time_point deadline);

  // The node's side. None of these blocks.

  /// Puts an arrived packet into the inbox, unless its source has filled its part while nobody
  /// waits here. A control program that waits in take() or post() cannot make room, so it gets all
  /// there is: else packets that it needs could be stuck behind those that it does not.
  Given deliver(Parcel &parcel);
  /// The next parcel for the link to \p neighbour, if \p fits says that it may go.
  template <class Fits> std::optional<Parcel> collect(wire::IpuId neighbour, Fits &&fits) {
    const std::lock_guard lock(mutex_);
    Outgoing &queue = outgoing_[neighbour];
    if (queue.parcels.empty() || !fits(queue.parcels.front()))
      return std::nullopt;
    Parcel parcel = std::move(queue.parcels.front());
    queue.parcels.pop_front();
    queue.bytes -= parcel.payload.size();
    changed_.notify_all();
    return parcel;
  }

  // Anybody's.

  /// Releases all who wait. The first status stays. \returns whether this was the first
  bool fail(wire::Status status);
  void reset();

private:
  struct Incoming {
    std::deque<Parcel> parcels;
    std::uint64_t bytes = 0;
  };
  struct Outgoing {
    std::deque<Parcel> parcels;
    std::uint64_t bytes = 0;
  };
  wire::Result<Payload> takeFront(wire::IpuId from, std::uint32_t tag, Incoming &queue);

  void resume(); // with mutex_ held

  const LinkOptions &options_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<wire::IpuId, Incoming> incoming_; // by source
  std::map<wire::IpuId, Outgoing> outgoing_; // by neighbour
  wire::Status failure_;
  unsigned waiting_ = 0; // control-program calls that wait
  bool stalled_ = false;
};

} // namespace copse::fabric
