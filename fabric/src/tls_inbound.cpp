#include "tls_inbound.hpp"

#include "link_message.hpp"
#include "record_stream.hpp"
#include "tcp_options.hpp"

#include <cerrno>
#include <chrono>
#include <optional>
#include <sys/socket.h>
#include <utility>

namespace copse::fabric {
namespace {

using asio::ip::tcp;
using namespace std::chrono_literals;
using Step = TlsHandshake::Step;

// Connections that have not proved whose they are. One more ends the oldest.
constexpr std::size_t kMostStrangers = 16;
constexpr auto kAcceptPause = 100ms;
// Reads before the loop looks at its timers and other sockets again.
constexpr int kReadsPerTurn = 16;

wire::Result<tcp::endpoint> addressOf(const Endpoint &endpoint) {
  asio::error_code error;
  const std::string host = endpoint.place() == "*" ? "0.0.0.0" : endpoint.bareHost();
  const auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (endpoint.transport() != TransportKind::Tcp || error)
    return wire::Status{wire::Code::InvalidOption,
                        "cannot listen at '" + endpoint.text() +
                            "': links with keys listen at tcp:// and the address of an interface"};
  return tcp::endpoint(address, endpoint.port());
}

} // namespace

/// A connection: first a stranger's, then a neighbour's.
class TlsInbound::Connection : public std::enable_shared_from_this<Connection> {
public:
  Connection(TlsInbound &inbound, tcp::socket socket)
      : inbound_(inbound), socket_(std::move(socket)),
        handshake_(TlsHandshake::server(*inbound.context_, socket_.native_handle())),
        timer_(socket_.get_executor(), inbound.options_.handshake) {}

  void start() {
    timer_.async_wait([self = shared_from_this()](const asio::error_code &error) {
      if (!error && !self->reader_)
        self->end("a connection did not authenticate in time");
    });
    await(tcp::socket::wait_read);
  }

  /// Ends it without a word, but takes what the neighbour has sent before it made another.
  void giveWay() {
    readOn();
    close();
  }
  void close() {
    closed_ = true;
    timer_.cancel();
    asio::error_code ignored;
    socket_.close(ignored);
  }

private:
  void await(tcp::socket::wait_type what) {
    socket_.async_wait(what, [self = shared_from_this()](asio::error_code) {
      if (!self->closed_)
        self->reader_ ? self->readOn() : self->shakeHands();
    });
  }

  void shakeHands() {
    switch (handshake_->step()) {
    case Step::WantRead:
      return await(tcp::socket::wait_read);
    case Step::WantWrite:
      return await(tcp::socket::wait_write);
    case Step::Ended:
      return end("a connection ended before it authenticated");
    case Step::Refused:
    case Step::Broken:
      return end("a connection failed to authenticate, or its key may not use links");
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
      await(tcp::socket::wait_read);
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
    const auto self = shared_from_this(); // the inbound's handles go
    close();
    inbound_.strangers_.remove(self);
    if (const auto found = inbound_.admitted_.find(sender_);
        found != inbound_.admitted_.end() && found->second == self)
      inbound_.admitted_.erase(found);
    if (!why.empty())
      inbound_.handlers_.onBad(why);
  }

  TlsInbound &inbound_; // lives as long as its reactor's thread
  tcp::socket socket_;
  std::optional<TlsHandshake> handshake_; ///< until it is done
  asio::steady_timer timer_;
  std::string sender_;
  std::optional<RecordReader> reader_; ///< from then on
  bool closed_ = false;
};

TlsInbound::TlsInbound(Reactor &reactor, std::shared_ptr<const TlsContext> context,
                       const TlsOptions &options)
    : context_(std::move(context)), options_(options), acceptor_(reactor.io()),
      pause_(reactor.io()) {}
TlsInbound::~TlsInbound() = default;

wire::Result<Endpoint> TlsInbound::bind(const Endpoint &endpoint) {
  const auto at = addressOf(endpoint);
  if (!at)
    return at.status();
  asio::error_code error;
  acceptor_.open(at->protocol(), error);
  if (!error)
    acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error)
    acceptor_.bind(*at, error);
  if (!error)
    acceptor_.listen(tcp::socket::max_listen_connections, error);
  if (error)
    return wire::Status{wire::Code::InvalidOption,
                        "cannot listen at '" + endpoint.text() + "': " + error.message()};
  return Endpoint::tcp(endpoint.place() == "*" ? "0.0.0.0" : endpoint.place(),
                       acceptor_.local_endpoint().port());
}

void TlsInbound::watch(const Transport::Handlers &handlers) {
  handlers_ = handlers;
  accept();
}

void TlsInbound::accept() {
  acceptor_.async_accept([this](const asio::error_code &error, tcp::socket socket) {
    if (!error) {
      accepted(std::move(socket));
      return accept();
    }
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](const asio::error_code &ended) {
      if (!ended)
        accept();
    });
  });
}

void TlsInbound::accepted(tcp::socket socket) {
  if (strangers_.size() >= kMostStrangers) {
    strangers_.front()->close();
    strangers_.pop_front();
    handlers_.onBad("too many connections that have not authenticated");
  }
  noticeVanishedPeers(socket);
  strangers_.push_back(std::make_shared<Connection>(*this, std::move(socket)));
  strangers_.back()->start();
}

void TlsInbound::admit(const std::shared_ptr<Connection> &connection, const std::string &name) {
  strangers_.remove(connection);
  if (const auto old = std::exchange(admitted_[name], connection))
    old->giveWay();
}

} // namespace copse::fabric
