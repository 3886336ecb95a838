#include "sealed_inbox.hpp"

#include "tcp_host.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <sys/socket.h>
#include <utility>

namespace copse::fabric {
namespace {

using asio::ip::tcp;
using namespace std::chrono_literals;

// Connections that have not said whose they are: for so long, and so many. One more ends the
// oldest.
constexpr auto kHelloTime = 3s;
constexpr std::size_t kMostStrangers = 16;
constexpr auto kAcceptPause = 100ms;
// Reads before the loop looks at its timers and other sockets again.
constexpr int kReadsPerTurn = 16;

std::optional<asio::ip::address> addressOf(const std::string &endpoint) {
  asio::error_code error;
  const auto address = asio::ip::make_address(hostOf(endpoint), error);
  return error ? std::nullopt : std::optional(address);
}

/// Takes the same time wherever they differ.
bool same(const SealId &a, const SealId &b) {
  std::byte difference{};
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= a[i] ^ b[i];
  return difference == std::byte{};
}

} // namespace

/// A connection: first a stranger's, then a neighbour's.
class SealedInbox::Arrival : public std::enable_shared_from_this<Arrival> {
public:
  Arrival(SealedInbox &inbox, tcp::socket socket)
      : inbox_(inbox), socket_(std::move(socket)), timer_(socket_.get_executor(), kHelloTime) {}

  void start() {
    timer_.async_wait([self = shared_from_this()](const asio::error_code &error) {
      if (!error && !self->reader_)
        self->end("a connection said nothing of whose it is");
    });
    await();
  }

  /// Ends it without a word.
  void close() {
    closed_ = true;
    timer_.cancel();
    asio::error_code ignored;
    socket_.close(ignored);
  }

private:
  void await() {
    socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](asio::error_code) {
      for (int reads = 0; !self->closed_ && reads < kReadsPerTurn; ++reads)
        if (!(self->reader_ ? self->readOn() : self->readHello()))
          break;
      if (!self->closed_)
        self->await();
    });
  }

  /// \returns the bytes that came; nothing: none for now, or the connection has ended
  std::optional<std::size_t> receive(std::span<iovec> parts) {
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t size = ::recvmsg(socket_.native_handle(), &message, MSG_DONTWAIT);
    if (size > 0)
      return static_cast<std::size_t>(size);
    if (size == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
      end(reader_ ? "" : "a connection ended before it said whose it is");
    return {};
  }

  bool readHello() {
    std::array<iovec, 1> rest{{{id_.data() + got_, id_.size() - got_}}};
    const auto bytes = receive(rest);
    if (!bytes)
      return false;
    got_ += *bytes;
    if (got_ < id_.size())
      return true;
    SealKey key;
    sender_ = inbox_.admit(shared_from_this(), id_, key);
    if (sender_.empty()) {
      end("a connection is nobody's");
      return false;
    }
    timer_.cancel();
    reader_.emplace(key);
    return true;
  }

  bool readOn() {
    auto parts = reader_->space();
    const auto bytes = receive(parts);
    if (!bytes)
      return false;
    const bool sound = reader_->put(
        *bytes, [this](Frames frames) { inbox_.onMessage_(std::move(frames), sender_); });
    if (!sound)
      end("what came on the connection of " + sender_ + " is not what it has sealed");
    return sound;
  }

  void end(const std::string &why) {
    if (closed_)
      return;
    const auto self = shared_from_this(); // the inbox's handles go
    close();
    inbox_.strangers_.remove(self);
    if (const auto found = inbox_.admitted_.find(sender_);
        found != inbox_.admitted_.end() && found->second == self)
      inbox_.admitted_.erase(found);
    if (!why.empty())
      inbox_.bad(why);
  }

  SealedInbox &inbox_; // lives as long as its reactor's thread
  tcp::socket socket_;
  asio::steady_timer timer_;
  SealId id_{};
  std::size_t got_ = 0; ///< bytes of it
  std::string sender_;
  std::optional<SealedReader> reader_;
  bool closed_ = false;
};

SealedInbox::SealedInbox(Reactor &reactor) : acceptor_(reactor.io()), pause_(reactor.io()) {}
SealedInbox::~SealedInbox() = default;

std::uint16_t SealedInbox::bind(const std::string &endpoint) {
  const auto address = addressOf(endpoint);
  if (!address)
    return 0;
  const tcp::endpoint at(*address, 0);
  asio::error_code error;
  acceptor_.open(at.protocol(), error);
  if (!error)
    acceptor_.bind(at, error);
  if (!error)
    acceptor_.listen(tcp::socket::max_listen_connections, error);
  if (error)
    return 0;
  return acceptor_.local_endpoint().port();
}

void SealedInbox::watch(OnMessage onMessage, OnBad onBad) {
  onMessage_ = std::move(onMessage);
  onBad_ = std::move(onBad);
  if (acceptor_.is_open())
    accept();
}

void SealedInbox::accept() {
  acceptor_.async_accept([this](const asio::error_code &error, tcp::socket socket) {
    if (!error) {
      arrived(std::move(socket));
      return accept();
    }
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](const asio::error_code &ended) {
      if (!ended)
        accept();
    });
  });
}

void SealedInbox::arrived(tcp::socket socket) {
  if (strangers_.size() >= kMostStrangers) {
    strangers_.front()->close();
    strangers_.pop_front();
    bad("too many connections that do not say whose they are");
  }
  strangers_.push_back(std::make_shared<Arrival>(*this, std::move(socket)));
  strangers_.back()->start();
}

std::string SealedInbox::admit(const std::shared_ptr<Arrival> &arrival, const SealId &id,
                               SealKey &key) {
  for (const auto &[name, expected] : expected_)
    if (same(expected.id, id)) {
      std::string whose = name;
      key = expected.key;
      expected_.erase(whose); // an identity is for one connection
      strangers_.remove(arrival);
      if (auto &admitted = admitted_[whose]; admitted)
        admitted->close();
      admitted_[whose] = arrival;
      return whose;
    }
  return {};
}

void SealedInbox::expect(const std::string &name, const SealId &id, const SealKey &key) {
  expected_[name] = {id, key};
}

void SealedInbox::clear() {
  expected_.clear();
  for (const auto &[name, arrival] : admitted_)
    arrival->close();
  admitted_.clear();
}

} // namespace copse::fabric
