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

/// A datagram socket of this machine, closed with its owner.
class DatagramSocket {
public:
  /// Does not block. The descriptor is -1 if there is none to be had.
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

/// Where datagrams of other processes of this machine arrive: a path, which goes with it.
///
/// Thread: one at a time.
class DatagramInbox {
public:
  /// \returns null if there cannot be one at \p path, and errno says why
  static std::unique_ptr<DatagramInbox> bind(const std::string &path);
  ~DatagramInbox();
  DatagramInbox(const DatagramInbox &) = delete;
  DatagramInbox &operator=(const DatagramInbox &) = delete;

  int descriptor() const { return socket_.descriptor(); } ///< readable when one has come
  /// The next one, of which what does not fit is lost.
  /// \returns its real size; nothing if none has come
  std::optional<std::size_t> receive(std::span<std::byte> into);
  /// The same, with the descriptor that came with it: none from a process of another user.
  std::optional<std::size_t> receive(std::span<std::byte> into, Descriptor &attached);

private:
  DatagramInbox(DatagramSocket socket, std::string path)
      : socket_(std::move(socket)), path_(std::move(path)) {}

  DatagramSocket socket_;
  std::string path_;
};

/// The way to the inbox at a path. They arrive in the order of sending, none is lost on the way,
/// and they are there when send() returns; but few of them may wait.
///
/// Thread: one at a time.
class DatagramSender {
public:
  /// \returns null if nobody listens there, or none can be there
  static std::unique_ptr<DatagramSender> connect(const std::string &path);

  int descriptor() const { return socket_.descriptor(); } ///< writable when one may go again
  /// One datagram.
  /// \returns Full when too many wait there, Unreachable when nobody listens any more
  Sent send(std::span<iovec> parts);
  /// The same, with a descriptor; without, if the inbox is another user's.
  Sent send(std::span<iovec> parts, int attached);

private:
  DatagramSender(DatagramSocket socket, bool toThisUser)
      : socket_(std::move(socket)), toThisUser_(toThisUser) {}
  Sent send(msghdr &message);

  DatagramSocket socket_;
  bool toThisUser_; ///< the inbox is of a process of the same user
};

} // namespace copse::fabric
