#include "fabric/ring_socket.hpp"

#include "ring_connection.hpp"
#include "ring_handshake.hpp"

#include <asio/steady_timer.hpp>

#include <chrono>
#include <unistd.h>
#include <utility>

namespace copse::fabric {
namespace {

constexpr const char *kRingsSuffix = ".rings";

// From a connection to its hello, which comes right behind.
constexpr std::chrono::seconds kHelloPatience{5};

} // namespace

std::optional<std::string> ringPathOf(const Endpoint &endpoint) {
  if (endpoint.transport() != TransportKind::Ipc)
    return {};
  return endpoint.place() + kRingsSuffix;
}

std::unique_ptr<RingSocket> RingSocket::dial(Reactor &reactor, const std::string &path) {
  Descriptor connection = local::connect(path);
  if (!connection)
    return nullptr;
  auto out = ring::makeMemory(), in = ring::makeMemory();
  auto own = Doorbell::create();
  if (!out || !in || !own || !ring::sendHello(connection.number(), {&*out, &*in}, *own))
    return nullptr;
  return std::unique_ptr<RingSocket>(new RingSocket(
      std::make_shared<Impl>(reactor, std::move(connection), std::move(*own), std::move(*out),
                             std::move(*in), nullptr, RingListener::kMostBytes)));
}

RingSocket::~RingSocket() { impl_->close(); }
void RingSocket::watch(Handlers handlers) { impl_->watch(std::move(handlers)); }
Sent RingSocket::send(Frames &frames) { return impl_->send(frames); }
Payload RingSocket::payload(std::size_t bytes) { return impl_->payload(bytes); }

class RingListener::Impl : public std::enable_shared_from_this<Impl> {
public:
  Impl(Reactor &reactor, Descriptor listener, std::string path, std::uint64_t mostBytes)
      : reactor_(reactor), acceptor_(reactor.io(), listener.release()), path_(std::move(path)),
        mostBytes_(mostBytes) {}
  ~Impl() { ::unlink(path_.c_str()); }
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  void watch(OnPeer onPeer, OnBad onBad) {
    onPeer_ = std::move(onPeer);
    onBad_ = std::move(onBad);
    accept();
  }

private:
  /// A connection without its hello.
  struct Greeted {
    explicit Greeted(Reactor &reactor, Descriptor connection)
        : socket(reactor.io(), connection.release()), patience(reactor.io()) {}
    asio::posix::stream_descriptor socket;
    asio::steady_timer patience;
  };

  void accept() {
    acceptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                         [weak = weak_from_this()](const asio::error_code &error) {
                           const auto self = weak.lock();
                           if (error || !self)
                             return;
                           while (Descriptor next = local::accept(self->acceptor_.native_handle()))
                             self->await(
                                 std::make_shared<Greeted>(self->reactor_, std::move(next)));
                           self->accept();
                         });
  }

  void await(const std::shared_ptr<Greeted> &connection) {
    connection->patience.expires_after(kHelloPatience);
    connection->patience.async_wait([connection](const asio::error_code &cancelled) {
      asio::error_code ignored;
      if (!cancelled)
        connection->socket.close(ignored);
    });
    connection->socket.async_wait(
        asio::posix::stream_descriptor::wait_read,
        [connection, weak = weak_from_this()](const asio::error_code &error) {
          connection->patience.cancel();
          const auto self = weak.lock();
          if (!error && self)
            self->greet(Descriptor(connection->socket.release()));
        });
  }

  void greet(Descriptor connection) {
    local::Message message;
    if (local::receive(connection.number(), message) != local::Received::Message)
      return; // it has left again
    auto hello = ring::readHello(std::move(message), 2);
    auto own = Doorbell::create();
    if (!hello || !own || !ring::sendWelcome(connection.number(), *own))
      return onBad_(hello ? "no bell for a connection with rings" : hello.status().message);
    onPeer_(std::unique_ptr<RingSocket>(new RingSocket(std::make_shared<RingSocket::Impl>(
        reactor_, std::move(connection), std::move(*own), std::move(hello->rings[1]),
        std::move(hello->rings[0]), std::move(hello->bell), mostBytes_))));
  }

  Reactor &reactor_;
  asio::posix::stream_descriptor acceptor_;
  std::string path_;
  std::uint64_t mostBytes_;
  OnPeer onPeer_;
  OnBad onBad_;
};

std::unique_ptr<RingListener> RingListener::bind(Reactor &reactor, const std::string &path,
                                                 std::uint64_t mostBytes) {
  Descriptor listener = local::listen(path);
  if (!listener)
    return nullptr;
  return std::unique_ptr<RingListener>(
      new RingListener(std::make_shared<Impl>(reactor, std::move(listener), path, mostBytes)));
}

RingListener::~RingListener() = default;

void RingListener::watch(OnPeer onPeer, OnBad onBad) {
  impl_->watch(std::move(onPeer), std::move(onBad));
}

} // namespace copse::fabric
