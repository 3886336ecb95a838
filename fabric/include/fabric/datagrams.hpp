#pragma once

#include "fabric/descriptor.hpp"
#include "fabric/frames.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <utility>

namespace copse::fabric {

/// The longest path that a datagram socket can have [bytes].
constexpr std::size_t kMaxDatagramPath = sizeof(sockaddr_un::sun_path) - 1;

/// A datagram socket of this machine. The destructor closes it.
class DatagramSocket {
public:
  /// Creates a socket that does not block. If that fails, descriptor() is -1.
  DatagramSocket();
  ~DatagramSocket();
  DatagramSocket(DatagramSocket &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  DatagramSocket &operator=(DatagramSocket &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int descriptor() const { return number_; }

private:
  int number_;
};

/// Receives datagrams from processes of this machine, at a path, which the destructor removes.
///
/// Thread: one at a time.
class DatagramInbox {
public:
  /// \returns null if no socket can listen at \p path; errno says why
  static std::unique_ptr<DatagramInbox> bind(const std::string &path);
  ~DatagramInbox();
  DatagramInbox(const DatagramInbox &) = delete;
  DatagramInbox &operator=(const DatagramInbox &) = delete;

  int descriptor() const { return socket_.descriptor(); } ///< readable if there is a datagram
  /// Receives the next datagram; bytes that do not fit are lost.
  /// \returns its real size; nothing if there is no datagram
  std::optional<std::size_t> receive(std::span<std::byte> into);
  /// Receives the next datagram, and the descriptor that its sender attached. A descriptor from
  /// another user's process is ignored.
  std::optional<std::size_t> receive(std::span<std::byte> into, Descriptor &attached);

private:
  DatagramInbox(DatagramSocket socket, std::string path)
      : socket_(std::move(socket)), path_(std::move(path)) {}

  DatagramSocket socket_;
  std::string path_;
};

/// Sends datagrams to the inbox at a path. Datagrams arrive in the order of sending, none is lost,
/// and all are in the inbox when send() returns; but the kernel queues only a few.
///
/// Thread: one at a time.
class DatagramSender {
public:
  /// \returns null if no process listens there
  static std::unique_ptr<DatagramSender> connect(const std::string &path);

  /// Returns a descriptor that is writable if another datagram may be sent.
  int descriptor() const { return socket_.descriptor(); }
  /// Sends one datagram.
  /// \returns Full if too many datagrams wait in the inbox, Unreachable if no process listens there
  ///   any more
  Sent send(std::span<iovec> parts);
  /// Sends one datagram with an attached descriptor. The descriptor is omitted if another user's
  /// process has the inbox.
  Sent send(std::span<iovec> parts, int attached);

private:
  DatagramSender(DatagramSocket socket, bool toThisUser)
      : socket_(std::move(socket)), toThisUser_(toThisUser) {}
  Sent send(msghdr &message);

  DatagramSocket socket_;
  bool toThisUser_; ///< true: a process of the same user has the inbox
};

} // namespace copse::fabric
