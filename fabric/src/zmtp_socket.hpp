#pragma once

#include "locks/mutex.hpp"
#include "zmtp_handshake.hpp"
#include "zmtp_messages.hpp"

#include "fabric/descriptor.hpp"
#include "fabric/zmtp_listener.hpp"

#include <asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace copse::fabric {

/// The state behind a ZmtpSocket. The handlers that wait in the loop hold it weakly.
class ZmtpSocket::Impl : public std::enable_shared_from_this<Impl> {
public:
  /// \param early  bytes that were received after the handshake
  Impl(StreamLoop loop, Descriptor socket, zmtp::Admitted admitted, std::vector<std::byte> early,
       std::uint64_t mostBytes);

  const std::string &name() const { return name_; }
  void watch(Handlers handlers);
  void limit(std::uint64_t mostBytes) { reader_.limit(mostBytes); }
  Sent send(Frames &frames);
  void drain(std::chrono::milliseconds timeout);
  void close();

private:
  void awaitBytes();
  void receive();
  bool receiveOnce();
  bool take(std::size_t bytes);
  void takeEarly();
  void awaitRoom();
  void goOnSending();
  bool flush() COPSE_REQUIRES(mutex_);
  void end(const wire::Status &why);

  StreamLoop loop_;
  asio::posix::stream_descriptor socket_;
  std::string name_;
  std::vector<std::byte> early_;
  zmtp::MessageReader reader_;
  Handlers handlers_;
  bool closed_ = false; ///< used on the loop's thread
  locks::Mutex mutex_;
  int number_; ///< the descriptor, until over_
  zmtp::MessageWriter writer_ COPSE_GUARDED_BY(mutex_);
  bool over_ COPSE_GUARDED_BY(mutex_) = false;
  bool waiting_ COPSE_GUARDED_BY(mutex_) = false; ///< waits until the socket accepts more
  bool refused_ COPSE_GUARDED_BY(mutex_) = false; ///< a message was refused since there was room
};

} // namespace copse::fabric
