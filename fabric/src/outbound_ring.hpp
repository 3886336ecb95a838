#pragma once

#include "doorbell.hpp"
#include "peer_bell.hpp"
#include "ring_writer.hpp"

#include "fabric/endpoint.hpp"
#include "fabric/payload.hpp"
#include "fabric/reactor.hpp"
#include "wire/result.hpp"
#include "wire/ring_header.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace copse::fabric {

/// The ring to one other IPU. There is room for packets at once; the other IPU gets them when it is
/// there and has taken the ring.
///
/// Thread: the reactor's, but for send(), reserve() and the rest behind them, which any may call.
class OutboundRing : public std::enable_shared_from_this<OutboundRing> {
public:
  /// \param own     bell of this node; outlives the ring
  /// \param onLost  the other IPU has left, or cannot be understood, and why
  static wire::Result<std::shared_ptr<OutboundRing>>
  open(Reactor &reactor, const Endpoint &to, const Doorbell &own,
       std::function<void(const std::string &)> onLost);
  /// Nothing more is told.
  void close();

  /// \returns as RingWriter::send()
  Sent send(const wire::RingHeader &header, const Payload &payload);
  /// As RingWriter::reserve().
  std::optional<Payload> reserve(std::size_t bytes) { return ring_->reserve(bytes); }
  /// Puts in what is left of a large packet.
  /// \returns whether send() may go on, after it was Full
  bool resume();
  /// Whether there will be something to resume().
  bool isFull() const { return ring_->isFull(); }
  bool mayResume() const { return ring_->mayResume(); }
  /// Packets in the ring, and pieces of large ones.
  std::uint64_t untaken() const { return ring_->unread(); }

  /// Grows now and then while the other IPU lives; does not begin before it has taken the ring.
  std::uint32_t beats() const { return bell_.beats(); }
  /// Asks it to show that it lives.
  void askForBeat() const { bell_.ring(); }

private:
  OutboundRing(Reactor &reactor, std::string path, const Doorbell &own,
               std::function<void(const std::string &)> onLost, std::shared_ptr<RingWriter> ring);
  void dial();
  void dialLater();
  void listen();
  void receive();
  void lose(const std::string &why);
  Sent put(const wire::RingHeader &header, const Payload &payload);

  std::string path_;
  const Doorbell &own_;
  std::function<void(const std::string &)> onLost_;
  std::shared_ptr<RingWriter> ring_;
  asio::posix::stream_descriptor socket_;
  asio::steady_timer timer_;
  PeerBell bell_; ///< known once the other IPU has taken the ring
  bool closed_ = false;
};

} // namespace copse::fabric
