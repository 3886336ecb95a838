#pragma once

#include "packet.hpp"

#include "fabric/link_node.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

namespace copse::fabric {

/// What has arrived for this IPU, until its control program takes it, and why nothing more will
/// come. Each source has a part of its own, which is limited while the control program waits for
/// nothing: what does not fit waits in the links.
///
/// Thread: any. mutex_ guards everything below it.
class Inbox {
public:
  using Clock = LinkNode::Clock;

  /// \param wake  tells the node that there is room to deliver; any thread, must not block
  Inbox(const LinkOptions &options, std::function<void()> wake)
      : options_(options), wake_(std::move(wake)) {}

  // The control program's side.

  /// As LinkNode::receive().
  wire::Result<Payload> take(wire::IpuId from, std::uint32_t tag, Clock::time_point deadline);

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

  /// Puts in a packet that has arrived.
  /// \returns false, and takes nothing: its source has filled its part
  bool deliver(Packet &packet);

  // Anybody's.

  /// Releases all who wait. The first status stays.
  /// \returns whether this was the first
  bool fail(wire::Status status);
  /// What fail() was called with; success if it was not.
  wire::Status failure() const;
  void reset();

private:
  struct Source {
    std::deque<Packet> packets;
    std::uint64_t bytes = 0;
  };
  wire::Result<Payload> takeFront(wire::IpuId from, std::uint32_t tag, Source &source);
  void beginWaiting();
  void endWaiting();
  void resume(); // with mutex_ held

  const LinkOptions &options_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<wire::IpuId, Source> sources_;
  wire::Status failure_;
  unsigned waiting_ = 0; // calls of the control program
  bool stalled_ = false; // a packet was refused
};

} // namespace copse::fabric
