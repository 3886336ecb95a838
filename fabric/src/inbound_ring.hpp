#pragma once

#include "ring_handshake.hpp"
#include "ring_reader.hpp"

#include "fabric/payload.hpp"
#include "fabric/reactor.hpp"
#include "wire/ring_header.hpp"

#include <asio/posix/stream_descriptor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace copse::fabric {

/// A packet in a ring.
struct RingPacket {
  wire::RingHeader header;
  Payload payload;
};

/// The receiver's end of a ring that another IPU has opened. Nothing in the ring is trusted; each
/// packet names the IPU that sent it.
///
/// Life: construct, watch(); front() and pop(), also after the sender has ended.
///
/// Thread: construct, watch() and the handlers on the reactor's; all else one at a time.
class InboundRing : public std::enable_shared_from_this<InboundRing> {
public:
  using OnBad = std::function<void(const std::string &why)>;

  InboundRing(Reactor &reactor, Descriptor connection, ring::Hello hello);
  /// \param onEnd  the sender has closed the connection; its packets are still in the ring
  /// \param onBad  a message is not a packet; called by the thread that found it
  void watch(std::function<void()> onEnd, OnBad onBad);

  /// Returns the next packet, which stays valid until pop().
  /// \returns null if there is no packet
  RingPacket *front();
  void pop() { front_.reset(); }
  /// Returns true if front() would return a packet that it has not returned before.
  bool hasNew() const { return !front_ && !corrupt_ && reader_->hasNext(); }

  bool isEmpty() const { return !front_ && !hasNew(); }
  /// Returns true if the sender has closed the connection, so that no packets will follow those in
  /// the ring. The reactor's thread.
  bool hasEnded() const { return ended_; }

private:
  void listen();
  void read();
  void takeFrames(Frames frames);
  void breakOff();

  Reactor &reactor_;
  asio::posix::stream_descriptor socket_;
  std::shared_ptr<RingReader> reader_;
  std::function<void()> onEnd_;
  OnBad onBad_;
  std::optional<RingPacket> front_;
  bool corrupt_ = false;
  bool ended_ = false; ///< the reactor's thread
};

} // namespace copse::fabric
