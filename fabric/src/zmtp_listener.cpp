#include "fabric/zmtp_listener.hpp"

#include "tcp_options.hpp"
#include "zmtp_handshake.hpp"
#include "zmtp_socket.hpp"

#include "fabric/connection_table.hpp"
#include "fabric/stream_listener.hpp"

#include <asio/steady_timer.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <span>
#include <sys/socket.h>
#include <utility>

namespace copse::fabric {
namespace {

// Longest time from a connection to the end of its handshake, which takes two round trips.
constexpr std::chrono::seconds kHandshakeTimeout{3};

} // namespace

class ZmtpListener::Impl : public std::enable_shared_from_this<Impl> {
public:
  Impl(StreamLoop loop, Options options)
      : loop_(std::move(loop)), options_(std::move(options)), listener_(loop_.io),
        admission_(std::make_shared<zmtp::Admission>(
            zmtp::Admission{options_.keys, options_.roles, options_.ownType, options_.peerTypes})) {
  }

  wire::Result<Endpoint> bind(const Endpoint &endpoint) { return listener_.bind(endpoint); }
  void watch(OnPeer onPeer) {
    onPeer_ = std::move(onPeer);
    listener_.accept(
        [this](Descriptor socket, const std::string &origin) { begin(std::move(socket), origin); });
  }
  void close();

private:
  class Pending;
  void begin(Descriptor socket, const std::string &origin);
  void admit(Pending &pending, std::vector<std::byte> early);
  void refuse(Pending &pending, const std::string &why);

  StreamLoop loop_;
  Options options_;
  StreamListener listener_;
  std::shared_ptr<const zmtp::Admission> admission_;
  ConnectionTable<Pending> pending_{kMostPending};
  OnPeer onPeer_;
};

/// A connection whose handshake is not finished.
class ZmtpListener::Impl::Pending : public std::enable_shared_from_this<Pending> {
public:
  Pending(const std::shared_ptr<Impl> &listener, Descriptor socket, std::string origin)
      : listener_(listener), socket_(listener->loop_.io, socket.release()),
        timeout_(listener->loop_.io), origin_(std::move(origin)), handshake_(listener->admission_) {
  }

  void start() {
    timeout_.expires_after(kHandshakeTimeout);
    timeout_.async_wait([weak = weak_from_this()](const asio::error_code &cancelled) {
      if (const auto self = weak.lock(); self && !cancelled)
        self->refuse("it does not authenticate in time");
    });
    answer_ = handshake_.greeting();
    if (sendAnswer())
      await();
  }
  void close() {
    timeout_.cancel();
    asio::error_code ignored;
    socket_.close(ignored);
  }
  const std::string &origin() const { return origin_; }
  zmtp::Admitted admitted() const { return handshake_.admitted(); }
  Descriptor release() {
    timeout_.cancel();
    return Descriptor(socket_.release());
  }

private:
  void await() {
    socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [weak = weak_from_this()](const asio::error_code &) {
                         if (const auto self = weak.lock(); self && self->socket_.is_open())
                           self->receive();
                       });
  }

  void receive() {
    std::array<std::byte, zmtp::Handshake::kMostBytes> bytes;
    const ssize_t size = ::recv(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
      return await();
    if (size <= 0)
      return refuse("it ends before it has authenticated");
    std::span<const std::byte> rest(bytes.data(), static_cast<std::size_t>(size));
    const auto step = handshake_.put(rest, answer_);
    if (!sendAnswer())
      return;
    switch (step) {
    case zmtp::Handshake::Step::WantMore:
      return await();
    case zmtp::Handshake::Step::Refused:
      return refuse(handshake_.why());
    case zmtp::Handshake::Step::Done:
      if (const auto listener = listener_.lock())
        listener->admit(*this, {rest.begin(), rest.end()});
    }
  }

  /// Cannot block: answers are shorter than the buffer of a new connection.
  bool sendAnswer() {
    const ssize_t sent = ::send(socket_.native_handle(), answer_.data(), answer_.size(),
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent != static_cast<ssize_t>(answer_.size())) {
      refuse("it ends before it has authenticated");
      return false;
    }
    answer_.clear();
    return true;
  }

  void refuse(const std::string &why) {
    if (const auto listener = listener_.lock())
      listener->refuse(*this, why);
  }

  std::weak_ptr<Impl> listener_;
  asio::posix::stream_descriptor socket_;
  asio::steady_timer timeout_;
  std::string origin_;
  zmtp::Handshake handshake_;
  std::vector<std::byte> answer_;
};

void ZmtpListener::Impl::begin(Descriptor socket, const std::string &origin) {
  sendAtOnce(socket.number());
  auto pending = std::make_shared<Pending>(shared_from_this(), std::move(socket), origin);
  if (const auto displaced = pending_.add(pending, origin)) {
    displaced->close();
    options_.refusals->count(displaced->origin(),
                             "too many connections that have not authenticated");
  }
  pending->start();
}

void ZmtpListener::Impl::admit(Pending &pending, std::vector<std::byte> early) {
  const auto self = pending.shared_from_this(); // the table drops its handle
  pending_.remove(&pending);
  auto admitted = pending.admitted();
  const std::string origin = admitted.name.empty() ? pending.origin() : admitted.name;
  onPeer_(
      std::unique_ptr<ZmtpSocket>(new ZmtpSocket(std::make_shared<ZmtpSocket::Impl>(
          loop_, pending.release(), std::move(admitted), std::move(early), options_.mostBytes))),
      origin);
}

void ZmtpListener::Impl::refuse(Pending &pending, const std::string &why) {
  const auto self = pending.shared_from_this();
  pending_.remove(&pending);
  pending.close();
  options_.refusals->count(pending.origin(), why);
}

void ZmtpListener::Impl::close() {
  pending_.forEach([](Pending &pending) { pending.close(); });
}

ZmtpListener::ZmtpListener(StreamLoop loop, Options options)
    : impl_(std::make_shared<Impl>(std::move(loop), std::move(options))) {}
ZmtpListener::~ZmtpListener() {
  try {
    impl_->close();
  } catch (...) { // no memory for the list of connections: they stay until they time out
  }
}

wire::Result<Endpoint> ZmtpListener::bind(const Endpoint &endpoint) {
  return impl_->bind(endpoint);
}
void ZmtpListener::watch(OnPeer onPeer) { impl_->watch(std::move(onPeer)); }

} // namespace copse::fabric
