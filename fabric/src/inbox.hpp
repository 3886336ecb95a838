#pragma once

#include "locks/mutex.hpp"

#include "fabric/link_node.hpp"
#include "fabric/payload.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace copse::fabric {

/// Holds the packets that have arrived for this IPU until its control program takes them, and the
/// reason why no more will arrive. Each source has a limited part of its own. A packet that does
/// not fit waits in the links, unless the control program itself waits.
///
/// Thread: any.
class Inbox {
public:
  using Clock = LinkNode::Clock;

  /// \param wake  tells the node that there is room to deliver; any thread, must not block
  Inbox(const LinkOptions &options, std::function<void()> wake)
      : options_(options), wake_(std::move(wake)) {}

  // For the control program:

  /// Waits for a packet like LinkNode::receive().
  wire::Result<Payload> take(wire::IpuId from, std::uint32_t tag, Clock::time_point deadline);

  /// Takes a packet as take() does, without waiting.
  /// \returns nothing if no packet has arrived
  std::optional<wire::Result<Payload>> takeNow(wire::IpuId from, std::uint32_t tag);
  static wire::Status late(wire::IpuId from, std::uint32_t tag);

  /// Marks, for its lifetime, that the control program waits. Meanwhile the inbox accepts every
  /// packet: the program cannot make room, and a packet that it needs could be queued behind
  /// packets that it does not need yet.
  class Waiting {
  public:
    explicit Waiting(Inbox &inbox) : inbox_(inbox) { inbox_.beginWaiting(); }
    ~Waiting() { inbox_.endWaiting(); }
    Waiting(const Waiting &) = delete;
    Waiting &operator=(const Waiting &) = delete;

  private:
    Inbox &inbox_;
  };

  // For the node. None of these functions blocks.

  enum class Room : std::uint8_t { Needed, EvenIfFull };
  /// Adds a payload that has arrived from IPU \p from.
  /// \returns false if that IPU has filled its part and \p room is Needed; the payload is not taken
  ///   then
  bool deliver(wire::IpuId from, std::uint32_t tag, Payload &payload, Room room = Room::Needed);

  // For any thread:

  /// Returns true if no packet is in the inbox. Takes no lock.
  bool isEmpty() const { return packets_.load(std::memory_order_acquire) == 0; }
  /// Returns true if fail() was not called. Takes no lock.
  bool sound() const { return sound_.load(std::memory_order_acquire); }
  /// Makes all waiting calls, and those that follow, fail with \p status. Only the first status
  /// counts.
  /// \returns true if this was the first
  bool fail(wire::Status status);
  /// Returns the status of the first fail(); success if there was none.
  wire::Status failure() const;
  void reset();

private:
  struct Arrived {
    std::uint32_t tag;
    Payload payload;
  };
  struct Source {
    std::deque<Arrived> packets;
    std::uint64_t bytes = 0;
  };
  wire::Result<Payload> takeFront(wire::IpuId from, std::uint32_t tag, Source &source)
      COPSE_REQUIRES(mutex_);
  void beginWaiting();
  void endWaiting() { --waiting_; }
  void resume();

  const LinkOptions &options_;
  std::function<void()> wake_;
  mutable locks::Mutex mutex_;
  locks::Condition changed_;
  std::map<wire::IpuId, Source> sources_ COPSE_GUARDED_BY(mutex_);
  wire::Status failure_ COPSE_GUARDED_BY(mutex_);
  std::atomic<bool> sound_{true};         // failure_ is success
  std::atomic<std::uint64_t> packets_{0}; // not taken yet; changed under mutex_
  std::atomic<unsigned> waiting_{0};      // waiting calls of the control program
  std::atomic<bool> stalled_{false};      // deliver() has refused a packet
};

} // namespace copse::fabric
