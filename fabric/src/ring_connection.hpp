#pragma once

#include "doorbell.hpp"
#include "local_socket.hpp"
#include "locks/mutex.hpp"
#include "peer_doorbell.hpp"
#include "ring_reader.hpp"
#include "ring_writer.hpp"

#include "fabric/ring_socket.hpp"

#include <asio/posix/stream_descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace copse::fabric {

/// The state behind a RingSocket. The handlers that wait in the loop hold it weakly.
///
/// A message travels as one or more messages of the ring, each with at most kFramesPerPart of its
/// frames, followed by a byte that says whether more follow.
class RingSocket::Impl : public Watched, public std::enable_shared_from_this<Impl> {
public:
  /// \param doorbell  the peer's doorbell; null: the peer will send it
  /// \param mostBytes  largest frame that is accepted
  Impl(Reactor &reactor, Descriptor connection, Doorbell own, SharedMemory out, SharedMemory in,
       std::shared_ptr<Doorbell> doorbell, std::uint64_t mostBytes);
  ~Impl() override;
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  void watch(Handlers handlers);
  void close();
  Sent send(Frames &frames);
  Payload payload(std::size_t bytes) {
    auto reserved = out_->reserve(bytes);
    return reserved ? std::move(*reserved) : Payload(bytes);
  }

private:
  static constexpr std::size_t kFramesPerPart = ring::kFrames - 1;
  /// The most frames of a message, all parts together. The limit only stops malicious peers.
  static constexpr std::size_t kMostFrames = std::size_t{1} << 20;

  // Implements Watched:
  void attend() override { own_.attend(); }
  void announceSleep() override { own_.announceWatch(); }
  bool hasSomething() const override { return in_->hasNext() || out_->mayResume(); }
  void work() override;

  void listen();
  void receive();
  void awaitDoorbell();
  /// \returns true if there may be more
  bool drain(int most);
  void resume();
  /// \returns false if the peer has written nonsense
  bool takePart(Frames part);
  void end(const wire::Status &why);

  Sent put(Frames &frames, std::size_t &at) COPSE_REQUIRES(mutex_);
  /// \returns true if nothing is left of the last message
  bool sendRest() COPSE_REQUIRES(mutex_);

  Reactor &reactor_;
  asio::posix::stream_descriptor socket_;
  Doorbell own_;
  asio::posix::stream_descriptor event_; ///< watches the eventfd of own_, which owns it
  const std::shared_ptr<PeerDoorbell> doorbell_ = std::make_shared<PeerDoorbell>();
  std::shared_ptr<RingWriter> out_;
  std::shared_ptr<RingReader> in_;
  Handlers handlers_;
  Frames incoming_; ///< the parts of a message that have arrived
  bool closed_ = false;

  locks::Mutex mutex_;                   ///< keeps the parts of a message together
  Frames rest_ COPSE_GUARDED_BY(mutex_); ///< a message of which not all parts are in the ring
  std::size_t restAt_ COPSE_GUARDED_BY(mutex_) = 0; ///< the first frame that is not in the ring
  bool over_ COPSE_GUARDED_BY(mutex_) = false;
};

} // namespace copse::fabric
