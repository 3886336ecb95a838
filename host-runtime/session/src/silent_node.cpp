#include "silent_node.hpp"

#include "fabric/descriptor.hpp"
#include "fabric/endpoint.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <memory>
#include <netdb.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

namespace copse::session {
namespace {

using namespace std::chrono_literals;
using fabric::Descriptor;
using fabric::Endpoint;

constexpr std::chrono::milliseconds kLookUp = 1s, kConnect = 500ms, kGreeting = 300ms;

struct Addresses {
  int error = EAI_AGAIN; ///< from getaddrinfo(); 0: `list` is not empty
  std::shared_ptr<addrinfo> list;
};

/// Looks up a name in a thread of its own, because a name server that does not answer must not
/// block the caller.
std::optional<Addresses> lookUp(const Endpoint &at) {
  auto found = std::make_shared<std::promise<Addresses>>();
  auto result = found->get_future();
  // A host name means an IPv4 address, as in ZeroMQ.
  const int family = at.place().starts_with('[') ? AF_INET6 : AF_INET;
  std::thread([found, family, host = at.bareHost(), port = std::to_string(at.port())] {
    addrinfo wanted{};
    wanted.ai_family = family;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo *list = nullptr;
    const int error = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &list);
    found->set_value({error, std::shared_ptr<addrinfo>(list, [](addrinfo *all) {
                        if (all != nullptr)
                          ::freeaddrinfo(all);
                      })});
  }).detach();
  if (result.wait_for(kLookUp) != std::future_status::ready)
    return {};
  return result.get();
}

bool isReady(const Descriptor &socket, short events, std::chrono::milliseconds timeout) {
  pollfd one{socket.number(), events, 0};
  return ::poll(&one, 1, static_cast<int>(timeout.count())) > 0;
}

/// Connects to an address.
/// \returns the connection, or the number of the error
std::variant<Descriptor, int> connectTo(const sockaddr *address, socklen_t size) {
  Descriptor socket(::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket)
    return errno;
  if (::connect(socket.number(), address, size) == 0)
    return socket;
  if (errno != EINPROGRESS)
    return errno;
  if (!isReady(socket, POLLOUT, kConnect))
    return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &length) != 0)
    return errno;
  if (error != 0)
    return error;
  return socket;
}

std::variant<Descriptor, int> connectTo(const std::string &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return ENAMETOOLONG;
  std::memcpy(address.sun_path, path.data(), path.size());
  return connectTo(reinterpret_cast<const sockaddr *>(&address), sizeof address);
}

// The greeting of ZMTP 3: signature, version, mechanism (a name, padded with zeros to 20 bytes),
// as-server, filler.
constexpr std::size_t kGreetingBytes = 64, kMechanismAt = 12, kMechanismBytes = 20;

/// Returns the mechanism in the greeting of a ZeroMQ peer, such as "CURVE"; nothing if the peer
/// sends no greeting.
std::optional<std::string> mechanismOf(const Descriptor &socket) {
  // Sends the greeting up to the version, because a peer closes the connection when it reads
  // another mechanism than its own.
  const std::array<char, kMechanismAt> mine{'\xff', 0, 0, 0, 0, 0, 0, 0, 1, '\x7f', 3, 0};
  if (::send(socket.number(), mine.data(), mine.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(mine.size()))
    return {};
  std::array<char, kGreetingBytes> its{};
  std::size_t have = 0;
  while (have < kMechanismAt + kMechanismBytes) {
    if (!isReady(socket, POLLIN, kGreeting))
      return {};
    const ssize_t more = ::recv(socket.number(), its.data() + have, its.size() - have, 0);
    if (more <= 0)
      return {};
    have += static_cast<std::size_t>(more);
  }
  const std::string_view name(its.data() + kMechanismAt, kMechanismBytes);
  return std::string(name.substr(0, name.find('\0')));
}

std::string whatListens(const Descriptor &socket, bool hasKeys) {
  const auto mechanism = mechanismOf(socket);
  if (!mechanism)
    return "something listens there that does not answer: a daemon that is stopped, or another "
           "program";
  if (*mechanism == "CURVE" && !hasKeys)
    return "the daemon there wants keys, and the cluster file names none; add \"keys\" with their "
           "directory";
  if (*mechanism != "CURVE" && hasKeys)
    return "the daemon there has no keys, and the cluster file names some; start the daemon with "
           "this file";
  return "the daemon there takes connections, but does not answer";
}

std::string textOf(int error) {
  if (error == ECONNREFUSED || error == ENOENT)
    return "nothing listens there; start its ipud (after copse up: copse up again)";
  return std::generic_category().message(error);
}

std::string whatIs(std::variant<Descriptor, int> connection, bool hasKeys) {
  if (const int *const error = std::get_if<int>(&connection))
    return textOf(*error);
  return whatListens(std::get<Descriptor>(connection), hasKeys);
}

std::string whySilentOverTcp(const Endpoint &at, bool hasKeys) {
  const auto addresses = lookUp(at);
  if (!addresses)
    return "no name server has answered for '" + at.bareHost() + "' yet";
  if (addresses->error != 0 || !addresses->list)
    return "the name '" + at.bareHost() + "' cannot be found (" + ::gai_strerror(addresses->error) +
           "); see the endpoints of the cluster file";
  const addrinfo &first = *addresses->list;
  return whatIs(connectTo(first.ai_addr, first.ai_addrlen), hasKeys);
}

} // namespace

std::string whySilent(const std::string &endpoint, bool hasKeys) {
  const auto at = Endpoint::parse(endpoint);
  if (!at)
    return at.status().message;
  return at->transport() == fabric::TransportKind::Tcp ? whySilentOverTcp(*at, hasKeys)
                                                       : whatIs(connectTo(at->place()), hasKeys);
}

} // namespace copse::session
