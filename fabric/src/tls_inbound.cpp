#include "tls_inbound.hpp"

#include "link_message.hpp"
#include "messages_per_turn.hpp"
#include "record_stream.hpp"
#include "tcp_options.hpp"

#include <cerrno>
#include <chrono>
#include <optional>
#include <sys/socket.h>
#include <utility>

namespace copse::fabric {
namespace {

using Readiness = asio::posix::stream_descriptor;
using Step = TlsHandshake::Step;

wire::Status notOverTcp(const Endpoint &endpoint) {
  return {wire::Code::InvalidOption,
          "cannot listen at '" + endpoint.text() +
              "': links with keys listen at tcp:// and the address of an interface"};
}

} // namespace

/// A connection from a neighbour, which at first is not authenticated.
class TlsInbound::Connection : public std::enable_shared_from_this<Connection> {
public:
  Connection(TlsInbound &inbound, Descriptor socket, std::string origin)
      : inbound_(inbound), socket_(inbound.io_, socket.release()), origin_(std::move(origin)),
        handshake_(TlsHandshake::server(*inbound.context_, socket_.native_handle())),
        timer_(inbound.io_, inbound.options_.handshake) {}

  void start() {
    timer_.async_wait([self = shared_from_this()](const asio::error_code &error) {
      if (!error && !self->reader_)
        self->refuse("it does not authenticate in time");
    });
    await(Readiness::wait_read);
  }

  /// Closes a connection that a newer one of the same neighbour replaces, after reading what it has
  /// received.
  void retire() {
    readOn();
    close();
  }
  void close() {
    closed_ = true;
    timer_.cancel();
    asio::error_code ignored;
    socket_.close(ignored);
  }
  /// Closes the connection before it has authenticated.
  void refuse(const std::string &why) {
    if (closed_)
      return;
    const auto self = shared_from_this(); // the table drops its handle
    inbound_.pending_.remove(this);
    close();
    inbound_.refusals_->count(origin_, why);
  }

private:
  void await(Readiness::wait_type what) {
    socket_.async_wait(what, [self = shared_from_this()](asio::error_code) {
      if (!self->closed_)
        self->reader_ ? self->readOn() : self->shakeHands();
    });
  }

  void shakeHands() {
    switch (handshake_->step()) {
    case Step::WantRead:
      return await(Readiness::wait_read);
    case Step::WantWrite:
      return await(Readiness::wait_write);
    case Step::Ended:
      return refuse("it ends before it has authenticated");
    case Step::Refused:
    case Step::Broken:
      return refuse("it fails to authenticate, or its key may not use links");
    case Step::Done:
      break;
    }
    sender_ = handshake_->peer();
    reader_.emplace(handshake_->key());
    handshake_.reset();
    timer_.cancel();
    inbound_.admit(shared_from_this(), sender_);
    readOn();
  }

  void readOn() {
    for (int reads = 0; reads < kReadsPerTurn && !closed_; ++reads)
      if (!readOnce())
        break;
    if (!closed_)
      await(Readiness::wait_read);
  }

  bool readOnce() {
    auto parts = reader_->space();
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t size = ::recvmsg(socket_.native_handle(), &message, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
      return false;
    const bool sound =
        size > 0 && reader_->put(static_cast<std::size_t>(size), [this](Frames frames) {
          deliver(readMessage(std::move(frames)), sender_, inbound_.handlers_);
        });
    if (!sound)
      end(size <= 0 ? "" : "bytes on the connection of " + sender_ + " are not those that it sent");
    return sound;
  }

  void end(const std::string &why) {
    if (closed_)
      return;
    const auto self = shared_from_this(); // the inbound drops its handles
    close();
    if (const auto found = inbound_.admitted_.find(sender_);
        found != inbound_.admitted_.end() && found->second == self)
      inbound_.admitted_.erase(found);
    if (!why.empty())
      inbound_.handlers_.onBad(why);
  }

  TlsInbound &inbound_; // lives as long as its reactor's thread
  Readiness socket_;
  std::string origin_;
  std::optional<TlsHandshake> handshake_; ///< until the handshake is done
  asio::steady_timer timer_;
  std::string sender_;
  std::optional<RecordReader> reader_; ///< after the handshake
  bool closed_ = false;
};

TlsInbound::TlsInbound(Reactor &reactor, std::shared_ptr<const TlsContext> context,
                       const TlsOptions &options, std::shared_ptr<Refusals> refusals)
    : io_(reactor.io()), context_(std::move(context)), options_(options),
      refusals_(std::move(refusals)), listener_(io_) {}
TlsInbound::~TlsInbound() = default;

wire::Result<Endpoint> TlsInbound::bind(const Endpoint &endpoint) {
  if (endpoint.transport() != TransportKind::Tcp)
    return notOverTcp(endpoint);
  return listener_.bind(endpoint);
}

void TlsInbound::watch(const Transport::Handlers &handlers) {
  handlers_ = handlers;
  listener_.accept([this](Descriptor socket, const std::string &origin) {
    accepted(std::move(socket), origin);
  });
}

void TlsInbound::accepted(Descriptor socket, const std::string &origin) {
  noticeVanishedPeers(socket.number());
  auto connection = std::make_shared<Connection>(*this, std::move(socket), origin);
  if (const auto displaced = pending_.add(connection, origin))
    displaced->refuse("too many connections that have not authenticated");
  connection->start();
}

void TlsInbound::admit(const std::shared_ptr<Connection> &connection, const std::string &name) {
  pending_.remove(connection.get());
  if (const auto old = std::exchange(admitted_[name], connection))
    old->retire();
}

} // namespace copse::fabric
