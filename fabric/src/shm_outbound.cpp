#include "shm_outbound.hpp"

#include "link_message.hpp"
#include "ring_handshake.hpp"

#include "wire/direct_header.hpp"
#include "wire/local_header.hpp"

#include <chrono>
#include <span>
#include <utility>

namespace copse::fabric {
namespace {

// A neighbour that is not there yet is tried again after so long.
constexpr std::chrono::milliseconds kRedial{10};

} // namespace

wire::Result<std::shared_ptr<ShmOutbound>>
ShmOutbound::open(Reactor &reactor, const Endpoint &neighbour, const Doorbell &own,
                  std::function<void(const std::string &)> onLost) {
  auto memory = ring::makeMemory();
  if (!memory)
    return memory.status();
  std::shared_ptr<ShmOutbound> outbound(new ShmOutbound(
      reactor, neighbour.place(), own, std::move(onLost), RingWriter::make(std::move(*memory))));
  outbound->dial();
  return outbound;
}

ShmOutbound::ShmOutbound(Reactor &reactor, std::string path, const Doorbell &own,
                         std::function<void(const std::string &)> onLost,
                         std::shared_ptr<RingWriter> ring)
    : path_(std::move(path)), own_(own), onLost_(std::move(onLost)), ring_(std::move(ring)),
      socket_(reactor.io()), timer_(reactor.io()) {}

void ShmOutbound::close() {
  closed_ = true;
  timer_.cancel();
  asio::error_code ignored;
  socket_.close(ignored);
}

Sent ShmOutbound::send(const wire::Envelope &envelope, const Payload &payload, bool urgent) {
  return rungFor(put(envelope, payload), urgent);
}

Sent ShmOutbound::send(const DirectPacket &packet) {
  const auto header =
      wire::directHeader(packet.epoch, packet.from.value, packet.to.value, packet.tag);
  return rungFor(put(std::as_bytes(std::span(&header, 1)), packet.payload), false);
}

Sent ShmOutbound::put(const wire::Envelope &envelope, const Payload &payload) {
  if (const auto local = wire::localHeaderOf(envelope))
    return put(std::as_bytes(std::span(&*local, 1)), payload);
  Frames frames = framesOf(envelope, payload);
  return ring_->send(frames);
}

Sent ShmOutbound::put(std::span<const std::byte> header, const Payload &payload) {
  if (RingWriter::isSmall(header.size() + payload.size()))
    return ring_->sendSmall(header, payload.bytes());
  Frames frames = framesOf(header, payload);
  return ring_->send(frames);
}

/// Rings for a message that was put in, or was not. A sender that waits for room cannot wait for the neighbour's visitor, too.
Sent ShmOutbound::rungFor(Sent sent, bool urgent) {
  if (sent != Sent::Unreachable)
    ringBell(urgent || sent == Sent::Full);
  return sent;
}

bool ShmOutbound::resume() {
  const auto resumed = ring_->resume();
  if (resumed != RingWriter::Resumed::Nothing)
    ringBell(true);
  return resumed == RingWriter::Resumed::All;
}

void ShmOutbound::ringBell(bool urgent) {
  // A neighbour that has not answered yet looks into the ring when it takes it, and again when it
  // is told that its answer has come.
  if (Doorbell *const bell = toRing_.load(std::memory_order_acquire))
    bell->ring(urgent);
}

void ShmOutbound::dial() {
  Descriptor connection = local::connect(path_);
  if (!connection || !ring::sendHello(connection.number(), {&ring_->memory()}, own_))
    return dialLater();
  socket_.assign(connection.release());
  listen();
}

void ShmOutbound::dialLater() {
  timer_.expires_after(kRedial);
  timer_.async_wait([self = shared_from_this()](const asio::error_code &error) {
    if (!error && !self->closed_)
      self->dial();
  });
}

void ShmOutbound::listen() {
  socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [self = shared_from_this()](const asio::error_code &error) {
                       if (!error && !self->closed_)
                         self->receive();
                     });
}

void ShmOutbound::receive() {
  local::Message message;
  switch (local::receive(socket_.native_handle(), message)) {
  case local::Received::Nothing:
    return listen();
  case local::Received::Ended:
    return lose("it has closed the connection");
  case local::Received::Message:
    break;
  }
  auto bell = ring::readWelcome(std::move(message));
  if (!bell || bell_)
    return lose(bell_ ? "it says more than was asked" : bell.status().message);
  bell_ = std::move(*bell);
  toRing_.store(bell_.get(), std::memory_order_release);
  ringBell(true); // for what was sent before there was a bell
  listen();
}

void ShmOutbound::lose(const std::string &why) {
  close();
  onLost_(why);
}

} // namespace copse::fabric
