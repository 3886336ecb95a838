#include "fabric/stream_listener.hpp"

#include "local_socket.hpp"

#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <net/if.h>
#include <optional>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace copse::fabric {
namespace {

using asio::ip::tcp;

constexpr int kFlags = SOCK_NONBLOCK | SOCK_CLOEXEC;
constexpr int kBacklog = 256;
// How many connections are accepted before the loop serves its other sockets again.
constexpr int kAcceptedPerTurn = 16;
// The pause before the next accept if there is no free descriptor: the connection would be reported
// again at once.
constexpr std::chrono::milliseconds kPauseWithoutDescriptors{100};

wire::Status cannotListen(const Endpoint &endpoint, const std::string &why) {
  return {wire::Code::InvalidOption, "cannot listen at '" + endpoint.text() + "': " + why};
}

std::string lastError() { return std::generic_category().message(errno); }

/// Returns the IPv4 address of the network interface \p name, which ZeroMQ's endpoints may contain.
std::optional<asio::ip::address> addressOfInterface(const std::string &name) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  if (!socket || name.empty() || name.size() >= sizeof request.ifr_name)
    return {};
  name.copy(request.ifr_name, name.size());
  if (::ioctl(socket.number(), SIOCGIFADDR, &request) != 0)
    return {};
  sockaddr_in found{};
  std::memcpy(&found, &request.ifr_addr, sizeof found);
  return asio::ip::address_v4(ntohl(found.sin_addr.s_addr));
}

std::optional<tcp::endpoint> addressOf(const Endpoint &endpoint) {
  const std::string host = endpoint.place() == "*"           ? "0.0.0.0"
                           : endpoint.place() == "localhost" ? "127.0.0.1"
                                                             : endpoint.bareHost();
  asio::error_code error;
  const auto numeric = asio::ip::make_address(host, error);
  const auto address = error ? addressOfInterface(host) : numeric;
  if (!address)
    return {};
  return tcp::endpoint(*address, endpoint.port());
}

std::string originOf(int socket) {
  tcp::endpoint peer;
  socklen_t size = static_cast<socklen_t>(peer.capacity());
  if (::getpeername(socket, peer.data(), &size) != 0 || size > peer.capacity() ||
      (peer.data()->sa_family != AF_INET && peer.data()->sa_family != AF_INET6))
    return "a connection that has ended";
  peer.resize(size);
  return peer.address().to_string();
}

} // namespace

StreamListener::StreamListener(asio::io_context &io) : socket_(io), pause_(io) {}

StreamListener::~StreamListener() {
  if (!path_.empty())
    ::unlink(path_.c_str());
}

wire::Result<Endpoint> StreamListener::bind(const Endpoint &endpoint) {
  switch (endpoint.transport()) {
  case TransportKind::Tcp:
    return bindTcp(endpoint);
  case TransportKind::Ipc:
    return bindIpc(endpoint);
  case TransportKind::Inproc:
  case TransportKind::Shm:
    break;
  }
  return cannotListen(endpoint, "connections come over tcp or ipc");
}

wire::Result<Endpoint> StreamListener::bindTcp(const Endpoint &endpoint) {
  const auto at = addressOf(endpoint);
  if (!at)
    return cannotListen(endpoint, "give the address of an interface of this machine");
  Descriptor socket(::socket(at->protocol().family(), SOCK_STREAM | kFlags, 0));
  const int on = 1;
  if (!socket || ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(socket.number(), at->data(), static_cast<socklen_t>(at->size())) != 0 ||
      ::listen(socket.number(), kBacklog) != 0)
    return cannotListen(endpoint, lastError());
  tcp::endpoint real;
  socklen_t size = static_cast<socklen_t>(real.capacity());
  if (::getsockname(socket.number(), real.data(), &size) != 0)
    return cannotListen(endpoint, lastError());
  real.resize(size);
  socket_.assign(socket.release());
  const std::string host = real.address().to_string();
  return Endpoint::tcp(real.address().is_v6() ? "[" + host + "]" : host, real.port());
}

wire::Result<Endpoint> StreamListener::bindIpc(const Endpoint &endpoint) {
  Descriptor socket = local::listenForStreams(endpoint.place());
  if (!socket)
    return cannotListen(endpoint, lastError());
  path_ = endpoint.place();
  socket_.assign(socket.release());
  return endpoint;
}

void StreamListener::accept(OnConnection onConnection) {
  onConnection_ = std::move(onConnection);
  await();
}

void StreamListener::await() {
  socket_.async_wait(
      asio::posix::stream_descriptor::wait_read,
      [this, present = std::weak_ptr<void>(present_)](const asio::error_code &ended) {
        if (!ended && !present.expired())
          acceptSome();
      });
}

void StreamListener::acceptSome() {
  for (int accepted = 0; accepted < kAcceptedPerTurn; ++accepted)
    switch (acceptOne()) {
    case Accepted::One:
      break;
    case Accepted::None:
      return await();
    case Accepted::WithoutDescriptor:
      return rest();
    }
  await();
}

StreamListener::Accepted StreamListener::acceptOne() {
  Descriptor socket(::accept4(socket_.native_handle(), nullptr, nullptr, kFlags));
  if (!socket) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      return Accepted::WithoutDescriptor;
    return errno == EINTR || errno == ECONNABORTED ? Accepted::One : Accepted::None;
  }
  if (path_.empty()) {
    const std::string origin = originOf(socket.number());
    onConnection_(std::move(socket), origin);
  } else if (local::isOfThisUserOrRoot(socket)) {
    onConnection_(std::move(socket), "this machine");
  }
  return Accepted::One;
}

void StreamListener::rest() {
  pause_.expires_after(kPauseWithoutDescriptors);
  pause_.async_wait([this, present = std::weak_ptr<void>(present_)](const asio::error_code &ended) {
    if (!ended && !present.expired())
      await();
  });
}

} // namespace copse::fabric
