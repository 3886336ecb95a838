#pragma once

#include "doorbell.hpp"
#include "ring_writer.hpp"

#include "fabric/endpoint.hpp"
#include "fabric/payload.hpp"
#include "fabric/reactor.hpp"
#include "fabric/transport.hpp"
#include "wire/envelope.hpp"
#include "wire/result.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace copse::fabric {

/// A ring to one neighbour. There is room for messages at once; the neighbour gets them when it is
/// there and has taken the ring.
///
/// Thread: the reactor's, but for send(), reserve() and resume(), which any may call.
class ShmOutbound : public std::enable_shared_from_this<ShmOutbound> {
public:
  /// \param own     bell of this node; outlives the ring
  /// \param onLost  the neighbour has left, or cannot be understood, and why
  static wire::Result<std::shared_ptr<ShmOutbound>>
  open(Reactor &reactor, const Endpoint &neighbour, const Doorbell &own,
       std::function<void(const std::string &)> onLost);
  /// Nothing more is told.
  void close();

  /// \param urgent  as Doorbell::ring() takes it
  Sent send(const wire::Envelope &envelope, const Payload &payload, bool urgent);
  Sent send(const DirectPacket &packet);
  /// Messages in the ring.
  std::uint64_t untaken() const { return ring_->unread(); }
  std::optional<Payload> reserve(std::size_t bytes) { return ring_->reserve(bytes); }
  /// Puts in what is left of a large message.
  /// \returns whether send() may go on, after it was Full
  bool resume();
  /// Whether there will be something to resume().
  bool isFull() const { return ring_->isFull(); }
  bool mayResume() const { return ring_->mayResume(); }

private:
  ShmOutbound(Reactor &reactor, std::string path, const Doorbell &own,
              std::function<void(const std::string &)> onLost, std::shared_ptr<RingWriter> ring);
  void dial();
  void dialLater();
  void listen();
  void receive();
  void lose(const std::string &why);
  void ringBell(bool urgent);
  Sent put(const wire::Envelope &envelope, const Payload &payload);
  Sent put(std::span<const std::byte> header, const Payload &payload);
  Sent rungFor(Sent sent, bool urgent);

  std::string path_;
  const Doorbell &own_;
  std::function<void(const std::string &)> onLost_;
  std::shared_ptr<RingWriter> ring_;
  asio::posix::stream_descriptor socket_;
  asio::steady_timer timer_;
  std::shared_ptr<Doorbell> bell_;          ///< of the neighbour, once it has taken the ring
  std::atomic<Doorbell *> toRing_{nullptr}; ///< the same, for any thread
  bool closed_ = false;
};

} // namespace copse::fabric
