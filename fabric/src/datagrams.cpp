#include "fabric/datagrams.hpp"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

namespace copse::fabric {
namespace {

/// \returns nothing, and errno says so, if the path does not fit
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
  ::unlink(path.c_str()); // of a process that was killed
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

std::unique_ptr<DatagramSender> DatagramSender::connect(const std::string &path) {
  const auto address = addressOf(path);
  DatagramSocket socket;
  if (!address || socket.descriptor() < 0 ||
      ::connect(socket.descriptor(), asGeneric(*address), sizeof *address) != 0)
    return nullptr;
  return std::unique_ptr<DatagramSender>(new DatagramSender(std::move(socket)));
}

Sent DatagramSender::send(std::span<iovec> parts) {
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (::sendmsg(socket_.descriptor(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
    return Sent::Ok;
  return errno == EAGAIN || errno == EINTR ? Sent::Full : Sent::Unreachable;
}

} // namespace copse::fabric
