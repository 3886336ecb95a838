#include "outbound_ring.hpp"

#include "ring_handshake.hpp"

#include <chrono>
#include <span>
#include <utility>

namespace copse::fabric {
namespace {

// The interval of attempts to reach an IPU that does not listen yet.
constexpr std::chrono::milliseconds kRedial{10};

} // namespace

wire::Result<std::shared_ptr<OutboundRing>>
OutboundRing::open(Reactor &reactor, const Endpoint &to, const Doorbell &own,
                   std::function<void(const std::string &)> onLost) {
  auto memory = ring::makeMemory();
  if (!memory)
    return memory.status();
  std::shared_ptr<OutboundRing> outbound(new OutboundRing(
      reactor, to.place(), own, std::move(onLost), RingWriter::make(std::move(*memory))));
  outbound->dial();
  return outbound;
}

OutboundRing::OutboundRing(Reactor &reactor, std::string path, const Doorbell &own,
                           std::function<void(const std::string &)> onLost,
                           std::shared_ptr<RingWriter> ring)
    : path_(std::move(path)), own_(own), onLost_(std::move(onLost)), ring_(std::move(ring)),
      socket_(reactor.io()), timer_(reactor.io()) {}

void OutboundRing::close() {
  closed_ = true;
  timer_.cancel();
  asio::error_code ignored;
  socket_.close(ignored);
}

Sent OutboundRing::send(const wire::RingHeader &header, const Payload &payload) {
  const Sent sent = put(header, payload);
  // A packet wakes a thread that waits for one. A sender without room wakes the node in any state,
  // so that a thread makes room.
  if (sent != Sent::Unreachable)
    doorbell_.wake(sent == Sent::Full);
  return sent;
}

Sent OutboundRing::put(const wire::RingHeader &header, const Payload &payload) {
  const auto bytes = std::as_bytes(std::span(&header, 1));
  if (RingWriter::isSmall(bytes.size() + payload.size()))
    return ring_->sendSmall(bytes, payload.bytes());
  Frames frames;
  frames.reserve(2);
  frames.emplace_back(bytes.data(), bytes.size());
  frames.push_back(payload.share().toFrame());
  return ring_->send(frames);
}

bool OutboundRing::resume() {
  const auto resumed = ring_->resume();
  if (resumed != RingWriter::Resumed::Nothing)
    doorbell_.wake();
  return resumed == RingWriter::Resumed::All;
}

void OutboundRing::dial() {
  Descriptor connection = local::connect(path_);
  if (!connection || !ring::sendHello(connection.number(), {&ring_->memory()}, own_))
    return dialLater();
  socket_.assign(connection.release());
  listen();
}

void OutboundRing::dialLater() {
  timer_.expires_after(kRedial);
  timer_.async_wait([self = shared_from_this()](const asio::error_code &error) {
    if (!error && !self->closed_)
      self->dial();
  });
}

void OutboundRing::listen() {
  socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [self = shared_from_this()](const asio::error_code &error) {
                       if (!error && !self->closed_)
                         self->receive();
                     });
}

void OutboundRing::receive() {
  local::Message message;
  switch (local::receive(socket_.native_handle(), message)) {
  case local::Received::Nothing:
    return listen();
  case local::Received::Ended:
    return lose("it has closed the connection");
  case local::Received::Message:
    break;
  }
  auto doorbell = ring::readWelcome(std::move(message));
  if (!doorbell || doorbell_.known())
    return lose(doorbell_.known() ? "it says more than was asked" : doorbell.status().message);
  doorbell_.set(std::move(*doorbell));
  doorbell_.wake(ring_->isFull()); // for packets that were sent before the doorbell was known
  listen();
}

void OutboundRing::lose(const std::string &why) {
  close();
  onLost_(why);
}

} // namespace copse::fabric
