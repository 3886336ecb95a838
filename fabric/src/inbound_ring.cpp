#include "inbound_ring.hpp"

#include <cstring>
#include <sys/socket.h>
#include <utility>

namespace copse::fabric {
namespace {

constexpr const char *kNoPacket = "a message in a ring is no packet of an IPU-Link";

Payload payloadOf(const RingReader::Small &frames) {
  if (frames.second == 0)
    return {};
  Payload payload(frames.second);
  std::memcpy(payload.data(), frames.secondFrame().data(), frames.second);
  return payload;
}

} // namespace

InboundRing::InboundRing(Reactor &reactor, Descriptor connection, ring::Hello hello)
    : reactor_(reactor), socket_(reactor.io(), connection.release()),
      reader_(RingReader::make(std::move(hello.rings.front()),
                               [doorbell = std::move(hello.doorbell)] { doorbell->wake(); })) {}

void InboundRing::watch(std::function<void()> onEnd, OnBad onBad) {
  onEnd_ = std::move(onEnd);
  onBad_ = std::move(onBad);
  listen();
}

/// Waits for the end of the connection. The sender sends nothing more on its socket.
void InboundRing::listen() {
  socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [weak = weak_from_this()](const asio::error_code &error) {
                       const auto self = weak.lock();
                       if (error || !self)
                         return;
                       local::Message message;
                       const auto received = local::receive(self->socket_.native_handle(), message);
                       if (received == local::Received::Nothing)
                         return self->listen();
                       if (received == local::Received::Message)
                         self->onBad_("a neighbour says more on its socket than its hello");
                       asio::error_code ignored;
                       self->socket_.close(ignored);
                       self->ended_ = true;
                       self->onEnd_();
                     });
}

RingPacket *InboundRing::front() {
  while (hasNew())
    read();
  return front_ ? &*front_ : nullptr;
}

void InboundRing::read() {
  if (RingReader::Small small; reader_->nextSmall(small)) {
    if (const auto header = wire::ringHeaderIn(small.firstFrame()))
      front_.emplace(*header, payloadOf(small));
    else
      onBad_(kNoPacket);
    return;
  }
  Frames frames;
  switch (reader_->next(frames)) {
  case RingReader::Next::Nothing: // a piece of a packet, of which more follow
    return;
  case RingReader::Next::Corrupt:
    return breakOff();
  case RingReader::Next::Message:
    return takeFrames(std::move(frames));
  }
}

void InboundRing::takeFrames(Frames frames) {
  const auto header = wire::ringHeaderIn(bytesOf(frames.front()));
  if (!header || frames.size() > 2)
    return onBad_(kNoPacket);
  front_.emplace(*header, frames.size() == 2 ? Payload(std::move(frames[1])) : Payload());
}

/// Shuts the connection down, so that both ends notice.
void InboundRing::breakOff() {
  corrupt_ = true;
  onBad_("a ring in shared memory is corrupt: its connection ends");
  reactor_.post([self = shared_from_this()] {
    if (self->socket_.is_open())
      ::shutdown(self->socket_.native_handle(), SHUT_RDWR);
  });
}

} // namespace copse::fabric
