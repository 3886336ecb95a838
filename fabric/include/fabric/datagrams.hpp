#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <sys/uio.h>
#include <utility>

namespace copse::fabric {

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
  /// \returns null if there cannot be one at \p path: it is too long, or its folder is not ours
  static std::unique_ptr<DatagramInbox> bind(const std::string &path);
  ~DatagramInbox();
  DatagramInbox(const DatagramInbox &) = delete;
  DatagramInbox &operator=(const DatagramInbox &) = delete;

  int descriptor() const { return socket_.descriptor(); } ///< readable when one has come
  /// The next one, of which what does not fit is lost. \returns its real size; nothing if none has
  /// come
  std::optional<std::size_t> receive(std::span<std::byte> into);

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
class DatagramWay {
public:
  /// \returns null if nobody listens there
  static std::unique_ptr<DatagramWay> connect(const std::string &path);

  /// \returns whether it went: it does not when too many wait there, or nobody listens any more
  bool send(std::span<iovec> parts);

private:
  explicit DatagramWay(DatagramSocket socket) : socket_(std::move(socket)) {}
  DatagramSocket socket_;
};

} // namespace copse::fabric
