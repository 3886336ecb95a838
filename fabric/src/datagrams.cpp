#include "fabric/datagrams.hpp"

#include "attached_descriptors.hpp"
#include "local_socket.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace copse::fabric {
namespace {

/// \returns nothing if the path is too long; errno says so
std::optional<sockaddr_un> addressOf(const std::string &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() > kMaxDatagramPath) {
    errno = ENAMETOOLONG;
    return {};
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr *asGeneric(const sockaddr_un &address) {
  return reinterpret_cast<const sockaddr *>(&address);
}

// Space for the descriptor that a sender attaches, and for its credentials.
constexpr std::size_t kAttachedBytes = CMSG_SPACE(sizeof(int)),
                      kSenderBytes = CMSG_SPACE(sizeof(ucred));

bool isOfThisUser(const std::string &path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 && file.st_uid == ::geteuid();
}

bool isFromThisUser(msghdr &message) {
  for (cmsghdr *part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS ||
        part->cmsg_len != CMSG_LEN(sizeof(ucred)))
      continue;
    ucred sender{};
    std::memcpy(&sender, CMSG_DATA(part), sizeof sender);
    return sender.uid == ::geteuid();
  }
  return false;
}

/// Returns the one descriptor that came with a message of this user, and closes any others.
Descriptor attachedTo(msghdr &message) {
  auto all = attachedDescriptors(message);
  return all.size() == 1 && isFromThisUser(message) ? std::move(all.front()) : Descriptor();
}

} // namespace

DatagramSocket::DatagramSocket()
    : number_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}

DatagramSocket::~DatagramSocket() {
  if (number_ >= 0)
    ::close(number_);
}

std::unique_ptr<DatagramInbox> DatagramInbox::bind(const std::string &path) {
  const auto address = addressOf(path);
  DatagramSocket socket;
  if (!address || socket.descriptor() < 0)
    return nullptr;
  const int on = 1; // each message carries the credentials of its sender
  if (::setsockopt(socket.descriptor(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
      !local::closeToOthers(socket.descriptor()))
    return nullptr;
  ::unlink(path.c_str()); // a killed process leaves its file behind
  if (::bind(socket.descriptor(), asGeneric(*address), sizeof *address) != 0)
    return nullptr;
  return std::unique_ptr<DatagramInbox>(new DatagramInbox(std::move(socket), path));
}

DatagramInbox::~DatagramInbox() { ::unlink(path_.c_str()); }

std::optional<std::size_t> DatagramInbox::receive(std::span<std::byte> into) {
  const ssize_t size =
      ::recv(socket_.descriptor(), into.data(), into.size(), MSG_DONTWAIT | MSG_TRUNC);
  if (size < 0)
    return {};
  return static_cast<std::size_t>(size);
}

std::optional<std::size_t> DatagramInbox::receive(std::span<std::byte> into, Descriptor &attached) {
  alignas(cmsghdr) std::array<std::byte, kAttachedBytes + kSenderBytes> control;
  iovec whole{into.data(), into.size()};
  msghdr message{};
  message.msg_iov = &whole;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size =
      ::recvmsg(socket_.descriptor(), &message, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);
  if (size < 0)
    return {};
  attached = attachedTo(message);
  return static_cast<std::size_t>(size);
}

std::unique_ptr<DatagramSender> DatagramSender::connect(const std::string &path) {
  const auto address = addressOf(path);
  DatagramSocket socket;
  if (!address || socket.descriptor() < 0 ||
      ::connect(socket.descriptor(), asGeneric(*address), sizeof *address) != 0)
    return nullptr;
  return std::unique_ptr<DatagramSender>(new DatagramSender(std::move(socket), isOfThisUser(path)));
}

Sent DatagramSender::send(std::span<iovec> parts) {
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return send(message);
}

Sent DatagramSender::send(std::span<iovec> parts, int attached) {
  if (!toThisUser_)
    return send(parts);
  alignas(cmsghdr) std::array<std::byte, kAttachedBytes> control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr *const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof attached);
  std::memcpy(CMSG_DATA(rights), &attached, sizeof attached);
  return send(message);
}

Sent DatagramSender::send(msghdr &message) {
  if (::sendmsg(socket_.descriptor(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
    return Sent::Ok;
  return errno == EAGAIN || errno == EINTR || errno == ETOOMANYREFS ? Sent::Full
                                                                    : Sent::Unreachable;
}

} // namespace copse::fabric
