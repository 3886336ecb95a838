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

/// What has arrived for this IPU, until its control program takes it, and why nothing more will
/// come. Each source has a part of its own, which is limited while the control program waits for
/// nothing: what does not fit waits in the links.
///
/// Thread: any.
class Inbox {
public:
  using Clock = LinkNode::Clock;

  /// \param wake  tells the node that there is room to deliver; any thread, must not block
  Inbox(const LinkOptions &options, std::function<void()> wake)
      : options_(options), wake_(std::move(wake)) {}

  // The control program's side.

  /// As LinkNode::receive().
  wire::Result<Payload> take(wire::IpuId from, std::uint32_t tag, Clock::time_point deadline);

  /// As take(), without waiting.
  /// \returns nothing if nothing has come
  std::optional<wire::Result<Payload>> takeNow(wire::IpuId from, std::uint32_t tag);
  static wire::Status late(wire::IpuId from, std::uint32_t tag);

  /// While one lives, the control program waits for something, and the inbox takes whatever comes:
  /// the program cannot make room, and packets that it needs could be stuck behind those that it
  /// does not.
  class Waiting {
  public:
    explicit Waiting(Inbox &inbox) : inbox_(inbox) { inbox_.beginWaiting(); }
    ~Waiting() { inbox_.endWaiting(); }
    Waiting(const Waiting &) = delete;
    Waiting &operator=(const Waiting &) = delete;

  private:
    Inbox &inbox_;
  };

  // The node's side. None of these blocks.

  enum class Room : std::uint8_t { Needed, EvenIfFull };
  /// Puts in a payload that has arrived from IPU \p from.
  /// \returns false, and takes nothing: that IPU has filled its part, and room is needed
  bool deliver(wire::IpuId from, std::uint32_t tag, Payload &payload, Room room = Room::Needed);

  // Anybody's.

  /// Whether there is nothing to take. Takes no lock.
  bool isEmpty() const { return packets_.load(std::memory_order_acquire) == 0; }
  /// Whether failure() is none. Takes no lock.
  bool sound() const { return sound_.load(std::memory_order_acquire); }
  /// Releases all who wait. The first status stays.
  /// \returns whether this was the first
  bool fail(wire::Status status);
  /// What fail() was called with; success if it was not.
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
  std::atomic<bool> sound_{true};         // failure_ is none
  std::atomic<std::uint64_t> packets_{0}; // that nobody has taken; changed under mutex_
  std::atomic<unsigned> waiting_{0};      // calls of the control program
  std::atomic<bool> stalled_{false};      // a packet was refused
};

} // namespace copse::fabric
