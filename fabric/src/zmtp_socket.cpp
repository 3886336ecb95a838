#include "zmtp_socket.hpp"

#include "messages_per_turn.hpp"

#include "fabric/reactor.hpp"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace copse::fabric {
namespace {

using wire::Code;
using wire::Status;

// A queue accepts another message while it has fewer bytes than this.
constexpr std::size_t kMostQueuedBytes = std::size_t{64} << 20;

} // namespace

ZmtpSocket::Impl::Impl(StreamLoop loop, Descriptor socket, zmtp::Admitted admitted,
                       std::vector<std::byte> early, std::uint64_t mostBytes)
    : loop_(std::move(loop)), socket_(loop_.io, socket.number()), name_(std::move(admitted.name)),
      early_(std::move(early)), reader_(admitted.key, admitted.received, mostBytes),
      number_(socket.release()), writer_(std::move(admitted.key), admitted.sent) {}

void ZmtpSocket::Impl::watch(Handlers handlers) {
  handlers_ = std::move(handlers);
  loop_.post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && !self->closed_)
      self->takeEarly();
  });
}

void ZmtpSocket::Impl::takeEarly() {
  std::span<const std::byte> rest(early_);
  while (!rest.empty() && !closed_) {
    const auto parts = reader_.space();
    const std::size_t bytes = std::min(rest.size(), parts[0].iov_len);
    std::memcpy(parts[0].iov_base, rest.data(), bytes);
    rest = rest.subspan(bytes);
    if (!take(bytes))
      return;
  }
  early_ = {};
  receive();
}

void ZmtpSocket::Impl::awaitBytes() {
  socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [weak = weak_from_this()](const asio::error_code &) {
                       const auto self = weak.lock();
                       if (self && !self->closed_)
                         self->receive();
                     });
}

void ZmtpSocket::Impl::receive() {
  for (int reads = 0; reads < kReadsPerTurn && !closed_; ++reads)
    if (!receiveOnce())
      break;
  if (!closed_)
    awaitBytes();
}

/// \returns true if there may be more to read now
bool ZmtpSocket::Impl::receiveOnce() {
  auto parts = reader_.space();
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t size = ::recvmsg(socket_.native_handle(), &message, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    return false;
  if (size <= 0) {
    end({Code::Disconnected, "it has closed the connection"});
    return false;
  }
  const std::size_t room = parts[0].iov_len + parts[1].iov_len;
  return take(static_cast<std::size_t>(size)) && static_cast<std::size_t>(size) == room;
}

bool ZmtpSocket::Impl::take(std::size_t bytes) {
  const std::string bad = reader_.put(bytes, [this](Frames frames) {
    if (!closed_)
      handlers_.onMessage(std::move(frames));
  });
  if (!bad.empty())
    end({Code::BadFrame, bad});
  return !closed_;
}

Sent ZmtpSocket::Impl::send(Frames &frames) {
  const locks::Lock lock(mutex_);
  if (over_)
    return Sent::Unreachable;
  if (writer_.bytes() >= kMostQueuedBytes ||
      writer_.messages() >= static_cast<std::size_t>(WatchedSocket::kDefaultHighWater)) {
    refused_ = true;
    return Sent::Full;
  }
  writer_.put(std::exchange(frames, {}));
  if (!waiting_)
    (void)flush(); // if the connection broke, receive() notices it
  return Sent::Ok;
}

/// \returns true if all has been sent
bool ZmtpSocket::Impl::flush() {
  switch (writer_.flush(number_)) {
  case zmtp::MessageWriter::Flushed::All:
    return true;
  case zmtp::MessageWriter::Flushed::Blocked:
    waiting_ = true;
    loop_.post([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self && !self->closed_)
        self->awaitRoom();
    });
    return false;
  case zmtp::MessageWriter::Flushed::Broken:
    over_ = true;
    return false;
  }
  return false;
}

void ZmtpSocket::Impl::awaitRoom() {
  socket_.async_wait(asio::posix::stream_descriptor::wait_write,
                     [weak = weak_from_this()](const asio::error_code &) {
                       const auto self = weak.lock();
                       if (self && !self->closed_)
                         self->goOnSending();
                     });
}

void ZmtpSocket::Impl::goOnSending() {
  bool writable = false;
  {
    const locks::Lock lock(mutex_);
    waiting_ = false;
    (void)flush();
    writable = writer_.bytes() < kMostQueuedBytes / 2 && std::exchange(refused_, false);
  }
  if (writable)
    handlers_.onWritable();
}

void ZmtpSocket::Impl::drain(std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const locks::Lock lock(mutex_);
  while (!over_ && writer_.flush(number_) == zmtp::MessageWriter::Flushed::Blocked) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd room{number_, POLLOUT, 0};
    if (left.count() <= 0 || ::poll(&room, 1, static_cast<int>(left.count())) <= 0)
      return;
  }
}

void ZmtpSocket::Impl::close() {
  if (std::exchange(closed_, true))
    return;
  {
    const locks::Lock lock(mutex_);
    over_ = true;
  }
  asio::error_code ignored;
  socket_.close(ignored);
}

void ZmtpSocket::Impl::end(const Status &why) {
  if (closed_)
    return;
  const auto self = shared_from_this(); // the handler may destroy the socket
  close();
  handlers_.onEnd(why);
}

ZmtpSocket::~ZmtpSocket() { impl_->close(); }
const std::string &ZmtpSocket::name() const { return impl_->name(); }
void ZmtpSocket::watch(Handlers handlers) { impl_->watch(std::move(handlers)); }
void ZmtpSocket::limit(std::uint64_t mostBytes) { impl_->limit(mostBytes); }
Sent ZmtpSocket::send(Frames &frames) { return impl_->send(frames); }
void ZmtpSocket::drain(std::chrono::milliseconds timeout) { impl_->drain(timeout); }

} // namespace copse::fabric
