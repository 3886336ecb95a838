#include "sealed_way.hpp"

#include <asio/connect.hpp>
#include <asio/steady_timer.hpp>

#include <cerrno>
#include <chrono>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <utility>

namespace copse::fabric {
namespace {

using asio::ip::tcp;
using namespace std::chrono_literals;

constexpr auto kDialTime = 3s;
// A host that has vanished does not say so: what it does not acknowledge for so long ends the
// connection [ms].
constexpr int kVanishedMs = 5'000;

/// Whoever comes first, an answer or the end of the time, ends the other.
struct Dial {
  Dial(asio::io_context &io, SealedWay::Dialled toTell)
      : resolver(io), socket(io), timer(io, kDialTime), dialled(std::move(toTell)) {}
  tcp::resolver resolver;
  tcp::socket socket;
  asio::steady_timer timer;
  SealedWay::Dialled dialled;
};

void giveUp(Dial &dial) {
  asio::error_code ignored;
  dial.resolver.cancel();
  dial.socket.close(ignored);
}

void prepare(tcp::socket &socket) {
  asio::error_code ignored; // none of these is needed
  socket.set_option(tcp::no_delay(true), ignored);
  (void)::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &kVanishedMs,
                     sizeof kVanishedMs);
}

} // namespace

void SealedWay::dial(asio::io_context &io, const std::string &host, std::uint16_t port,
                     const SealId &id, const SealKey &key, Dialled dialled) {
  auto dial = std::make_shared<Dial>(io, std::move(dialled));
  dial->timer.async_wait([dial](const asio::error_code &error) {
    if (!error)
      giveUp(*dial);
  });
  const auto connected = [dial, id, key](const asio::error_code &error, const tcp::endpoint &) {
    dial->timer.cancel();
    if (error)
      return dial->dialled(nullptr);
    prepare(dial->socket);
    dial->dialled(std::make_shared<SealedWay>(std::move(dial->socket), id, key));
  };
  dial->resolver.async_resolve(
      host, std::to_string(port),
      [dial, connected](const asio::error_code &error, const tcp::resolver::results_type &found) {
        if (error)
          return connected(error, {});
        asio::async_connect(dial->socket, found, connected);
      });
}

void SealedWay::watch(std::function<void()> onRoom, std::function<void()> onOver) {
  onRoom_ = std::move(onRoom);
  onOver_ = std::move(onOver);
  const std::lock_guard lock(mutex_);
  flush();
  awaitEnd();
}

void SealedWay::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  end();
}

Sent SealedWay::send(Frames &frames) {
  const std::lock_guard lock(mutex_);
  if (over_)
    return Sent::Unreachable;
  if (writer_.busy()) {
    wanted_ = true;
    return Sent::Full;
  }
  writer_.put(std::move(frames));
  flush();
  return Sent::Ok;
}

void SealedWay::flush() {
  while (!over_) {
    const auto bytes = writer_.pending();
    if (bytes.empty())
      return;
    const ssize_t sent =
        ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0)
      writer_.took(static_cast<std::size_t>(sent));
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
      return awaitRoom();
    else if (errno != EINTR)
      return end();
  }
}

void SealedWay::awaitRoom() {
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](asio::error_code) {
    bool tell = false;
    {
      const std::lock_guard lock(self->mutex_);
      self->flush();
      tell = !self->closed_ && (self->over_ || !self->writer_.busy()) &&
             std::exchange(self->wanted_, false);
    }
    if (tell)
      self->onRoom_();
  });
}

/// The other end says nothing on this connection, so anything to be read is its end.
void SealedWay::awaitEnd() {
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](asio::error_code) {
    bool tell = false;
    {
      const std::lock_guard lock(self->mutex_);
      self->end();
      tell = !self->closed_;
    }
    if (tell)
      self->onOver_();
  });
}

void SealedWay::end() {
  over_ = true;
  asio::error_code ignored;
  socket_.close(ignored);
}

} // namespace copse::fabric
