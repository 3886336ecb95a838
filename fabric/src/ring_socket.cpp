#include "fabric/ring_socket.hpp"

#include "ring_acceptor.hpp"
#include "ring_connection.hpp"
#include "ring_handshake.hpp"

#include <utility>

namespace copse::fabric {
namespace {

constexpr const char *kRingsSuffix = ".rings";

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

class RingListener::Impl {
public:
  Impl(Reactor &reactor, std::unique_ptr<RingAcceptor> acceptor, std::uint64_t mostBytes)
      : reactor_(reactor), acceptor_(std::move(acceptor)), mostBytes_(mostBytes) {}

  void watch(OnPeer onPeer, OnBad onBad) {
    onPeer_ = std::move(onPeer);
    onBad_ = onBad;
    acceptor_->watch({[this](Descriptor connection, ring::Hello hello) {
                        greet(std::move(connection), std::move(hello));
                      },
                      std::move(onBad)});
  }

private:
  void greet(Descriptor connection, ring::Hello hello) {
    auto own = Doorbell::create();
    if (!own || !ring::sendWelcome(connection.number(), *own))
      return onBad_("no doorbell for a connection with rings");
    onPeer_(std::unique_ptr<RingSocket>(new RingSocket(std::make_shared<RingSocket::Impl>(
        reactor_, std::move(connection), std::move(*own), std::move(hello.rings[1]),
        std::move(hello.rings[0]), std::move(hello.doorbell), mostBytes_))));
  }

  Reactor &reactor_;
  std::unique_ptr<RingAcceptor> acceptor_;
  std::uint64_t mostBytes_;
  OnPeer onPeer_;
  OnBad onBad_;
};

std::unique_ptr<RingListener> RingListener::bind(Reactor &reactor, const std::string &path,
                                                 std::uint64_t mostBytes) {
  auto acceptor = RingAcceptor::bind(reactor, path, 2);
  if (!acceptor)
    return nullptr;
  return std::unique_ptr<RingListener>(
      new RingListener(std::make_shared<Impl>(reactor, std::move(acceptor), mostBytes)));
}

RingListener::~RingListener() = default;

void RingListener::watch(OnPeer onPeer, OnBad onBad) {
  impl_->watch(std::move(onPeer), std::move(onBad));
}

} // namespace copse::fabric
