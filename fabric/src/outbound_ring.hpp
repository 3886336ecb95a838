#pragma once

#include "doorbell.hpp"
#include "peer_doorbell.hpp"
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

/// The sender's end of the ring to one other IPU. The ring accepts packets at once; the other IPU
/// reads them after it has adopted the ring.
///
/// Thread: the reactor's, except for send(), reserve() and the functions that follow them, which
/// any thread may call.
class OutboundRing : public std::enable_shared_from_this<OutboundRing> {
public:
  /// \param own  doorbell of this node; outlives the ring
  /// \param onLost  called with the reason when the other IPU has closed the connection or sent
  ///   nonsense
  static wire::Result<std::shared_ptr<OutboundRing>>
  open(Reactor &reactor, const Endpoint &to, const Doorbell &own,
       std::function<void(const std::string &)> onLost);
  /// Closes the connection. onLost is not called any more.
  void close();

  /// \returns as RingWriter::send()
  Sent send(const wire::RingHeader &header, const Payload &payload);
  /// Returns memory of the ring like RingWriter::reserve().
  std::optional<Payload> reserve(std::size_t bytes) { return ring_->reserve(bytes); }
  /// Writes the rest of a large packet into the ring.
  /// \returns true if send(), after it was Full, may be retried
  bool resume();
  /// Returns true if a packet was refused, or a large one is not complete.
  bool isFull() const { return ring_->isFull(); }
  bool mayResume() const { return ring_->mayResume(); }
  /// Returns the number of packets in the ring; each piece of a large packet counts.
  std::uint64_t untaken() const { return ring_->unread(); }

  /// Returns the heartbeat of the other IPU; 0 until it has adopted the ring.
  std::uint32_t beats() const { return doorbell_.beats(); }
  /// Asks the other IPU to increment its heartbeat.
  void askForBeat() const { doorbell_.wake(); }

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
  PeerDoorbell doorbell_; ///< known once the other IPU has adopted the ring
  bool closed_ = false;
};

} // namespace copse::fabric
