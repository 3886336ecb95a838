#include "shm_inbound.hpp"

#include "link_message.hpp"
#include "messages_per_turn.hpp"
#include "ring_handshake.hpp"
#include "ring_layout.hpp"

#include "wire/direct_header.hpp"
#include "wire/local_header.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace copse::fabric {
namespace {

// From a connection to its hello, which comes right behind.
constexpr std::chrono::seconds kPatience{5};

Payload payloadOf(const RingReader::Small &frames) {
  if (frames.second == 0)
    return {};
  Payload payload(frames.second);
  std::memcpy(payload.data(), frames.secondFrame().data(), frames.second);
  return payload;
}

DirectPacket packetOf(const wire::DirectHeader &header, Payload payload) {
  return {header.epoch, {header.from}, {header.to}, header.tag, std::move(payload)};
}

} // namespace

ShmInbound::~ShmInbound() {
  if (!path_.empty())
    ::unlink(path_.c_str());
  const locks::Lock lock(mutex_);
  connections_.clear();
}

wire::Status ShmInbound::bind(const Endpoint &endpoint) {
  Descriptor listener = local::listen(endpoint.place());
  if (!listener)
    return {wire::Code::InvalidOption, "cannot listen at '" + endpoint.text() +
                                           "': " + std::generic_category().message(errno)};
  path_ = endpoint.place();
  acceptor_.assign(listener.release());
  return wire::Status::success();
}

void ShmInbound::watch(Handlers handlers) {
  handlers_ = std::move(handlers);
  accept();
}

void ShmInbound::accept() {
  acceptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [this, present = std::weak_ptr(present_)](const asio::error_code &error) {
                         if (error || present.expired())
                           return;
                         while (Descriptor next = local::accept(acceptor_.native_handle())) {
                           const auto connection = std::make_shared<Connection>(reactor_);
                           connection->socket.assign(next.release());
                           connection->patience.expires_after(kPatience);
                           connection->patience.async_wait(
                               [connection](const asio::error_code &cancelled) {
                                 if (!cancelled)
                                   connection->socket.close();
                               });
                           await(connection);
                         }
                         accept();
                       });
}

void ShmInbound::await(const Shared &connection) {
  connection->socket.async_wait(
      asio::posix::stream_descriptor::wait_read,
      [this, connection, present = std::weak_ptr(present_)](const asio::error_code &error) {
        if (!error && !present.expired())
          receive(connection);
      });
}

void ShmInbound::receive(const Shared &connection) {
  local::Message message;
  switch (local::receive(connection->socket.native_handle(), message)) {
  case local::Received::Nothing:
    break;
  case local::Received::Ended:
    return end(connection);
  case local::Received::Message:
    if (connection->ring) {
      handlers_.onBad("a neighbour says more on its socket than its hello");
      return end(connection);
    }
    greet(connection, std::move(message));
  }
  if (connection->socket.is_open())
    await(connection);
}

void ShmInbound::greet(const Shared &connection, local::Message message) {
  connection->patience.cancel();
  auto hello = ring::readHello(std::move(message), 1);
  if (!hello) {
    handlers_.onBad(hello.status().message);
    asio::error_code ignored;
    connection->socket.close(ignored);
    return;
  }
  connection->ring = RingReader::make(std::move(hello->rings.front()),
                                      [bell = std::move(hello->bell)] { bell->ring(); });
  {
    const locks::Lock lock(mutex_);
    connections_.push_back(connection);
  }
  if (!ring::sendWelcome(connection->socket.native_handle(), own_))
    return end(connection); // it has left already
  poll({});                 // what came before the neighbour knew our bell
}

/// A neighbour has left. Its last words count.
void ShmInbound::end(const Shared &connection) {
  asio::error_code ignored;
  connection->patience.cancel();
  connection->socket.close(ignored);
  const locks::Lock lock(mutex_);
  if (connection->ring && !connection->corrupt)
    (void)read(*connection, ring::kSlots + 1,
               [this](DirectPacket &packet) { return handlers_.onDirect(packet, true); });
  std::erase(connections_, connection);
}

bool ShmInbound::poll(const DirectWays::TakePacket &mine) {
  const DirectWays::TakePacket take = [this, &mine](DirectPacket &packet) {
    return (mine && mine(packet)) || handlers_.onDirect(packet, false);
  };
  const locks::Lock lock(mutex_);
  bool any = false;
  for (const Shared &connection : connections_)
    any = read(*connection, kMessagesPerTurn, take) || any;
  return any;
}

bool ShmInbound::hasMessages() {
  const locks::Lock lock(mutex_);
  return std::any_of(connections_.begin(), connections_.end(), [](const Shared &connection) {
    return !connection->corrupt && !connection->held && connection->ring->hasNext();
  });
}

bool ShmInbound::read(Connection &connection, int most, const DirectWays::TakePacket &take) {
  int handled = 0;
  while (handled < most && readNext(connection, take))
    ++handled;
  return handled > 0;
}

/// \returns whether a message was handed over
bool ShmInbound::readNext(Connection &connection, const DirectWays::TakePacket &take) {
  if (connection.held)
    return offer(connection, *std::exchange(connection.held, {}), take);
  if (connection.corrupt || !connection.ring->hasNext())
    return false;
  if (RingReader::Small small; connection.ring->nextSmall(small)) {
    if (const auto direct = wire::directHeaderIn(small.firstFrame()))
      return offer(connection, packetOf(*direct, payloadOf(small)), take);
    handlers_.onMessage(join(wire::decodeLocalEnvelope(small.firstFrame()), payloadOf(small)));
    return true;
  }
  Frames frames;
  switch (connection.ring->next(frames)) {
  case RingReader::Next::Nothing: // a piece of a message
    return false;
  case RingReader::Next::Corrupt:
    breakOff(connection);
    return false;
  case RingReader::Next::Message:
    break;
  }
  if (frames.size() == 2)
    if (const auto direct = wire::directHeaderIn(bytesOf(frames.front())))
      return offer(connection, packetOf(*direct, Payload(std::move(frames[1]))), take);
  handlers_.onMessage(readMessage(std::move(frames), wire::decodeLocalEnvelope));
  return true;
}

/// \returns whether the packet was taken
bool ShmInbound::offer(Connection &connection, DirectPacket packet,
                       const DirectWays::TakePacket &take) {
  if (take(packet))
    return true;
  connection.held = std::move(packet);
  return false;
}

/// Both ends notice, and end the connection.
void ShmInbound::breakOff(Connection &connection) {
  connection.corrupt = true;
  handlers_.onBad("a ring in shared memory is corrupt: its connection ends");
  ::shutdown(connection.socket.native_handle(), SHUT_RDWR);
}

} // namespace copse::fabric
