#include "local_socket.hpp"

#include "attached_descriptors.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

namespace copse::fabric::local {
namespace {

constexpr int kFlags = SOCK_NONBLOCK | SOCK_CLOEXEC, kType = SOCK_SEQPACKET | kFlags;
constexpr int kBacklog = 256;

std::optional<sockaddr_un> addressAt(const std::string &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return {};
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr *generic(const sockaddr_un &address) {
  return reinterpret_cast<const sockaddr *>(&address);
}

/// \returns nothing if the kernel does not know the user of the peer
std::optional<uid_t> userOf(const Descriptor &connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return {};
  return peer.uid;
}

bool isOfThisUser(const Descriptor &connection) { return userOf(connection) == ::geteuid(); }

constexpr std::size_t kAncillaryBytes = CMSG_SPACE(kMostDescriptors * sizeof(int));

Descriptor listenWith(int type, const std::string &path) {
  const auto address = addressAt(path);
  Descriptor socket(::socket(AF_UNIX, type, 0));
  if (!address || !socket || !closeToOthers(socket.number()))
    return {};
  ::unlink(path.c_str()); // a killed process leaves its file behind
  if (::bind(socket.number(), generic(*address), sizeof *address) != 0 ||
      ::listen(socket.number(), kBacklog) != 0)
    return {};
  return socket;
}

} // namespace

bool isOfThisUserOrRoot(const Descriptor &connection) {
  const auto user = userOf(connection);
  return user == ::geteuid() || user == uid_t{0};
}

bool closeToOthers(int socket) { return ::fchmod(socket, S_IRUSR | S_IWUSR) == 0; }

Descriptor listen(const std::string &path) { return listenWith(kType, path); }
Descriptor listenForStreams(const std::string &path) {
  return listenWith(SOCK_STREAM | kFlags, path);
}

Descriptor connect(const std::string &path) {
  const auto address = addressAt(path);
  Descriptor socket(::socket(AF_UNIX, kType, 0));
  if (!address || !socket || ::connect(socket.number(), generic(*address), sizeof *address) != 0 ||
      !isOfThisUser(socket))
    return {};
  return socket;
}

Descriptor accept(int listener) {
  for (;;) {
    Descriptor connection(::accept4(listener, nullptr, nullptr, kFlags));
    if (!connection || isOfThisUser(connection))
      return connection;
  }
}

bool send(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors) {
  iovec part{const_cast<std::byte *>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<std::byte, kAncillaryBytes> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const std::size_t size = descriptors.size_bytes();
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(size);
    cmsghdr *const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(rights), descriptors.data(), size);
  }
  return ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(bytes.size());
}

Received receive(int socket, Message &message) {
  std::array<std::byte, kMostBytes> bytes{};
  alignas(cmsghdr) std::array<std::byte, kAncillaryBytes> control{};
  iovec part{bytes.data(), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t size = ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size < 0)
    return errno == EAGAIN || errno == EINTR ? Received::Nothing : Received::Ended;
  message = {};
  message.descriptors = attachedDescriptors(header);
  if (size == 0)
    return Received::Ended;
  message.bytes.assign(bytes.begin(), bytes.begin() + size);
  return Received::Message;
}

} // namespace copse::fabric::local
