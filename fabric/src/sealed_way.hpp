#pragma once

#include "sealed_stream.hpp"

#include "fabric/frames.hpp"

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace copse::fabric {

/// A connection to a neighbour's SealedInbox, for one key: it ends with it.
///
/// Thread: the reactor's, but for send(), which any thread may call.
class SealedWay : public std::enable_shared_from_this<SealedWay> {
public:
  using Dialled = std::function<void(std::shared_ptr<SealedWay>)>;

  /// Connects to \p port of \p host, within seconds. \p dialled gets null if nobody answers there.
  static void dial(asio::io_context &io, const std::string &host, std::uint16_t port,
                   const SealId &id, const SealKey &key, Dialled dialled);

  SealedWay(asio::ip::tcp::socket socket, const SealId &id, const SealKey &key)
      : writer_(id, key), socket_(std::move(socket)) {}

  /// \param onRoom  a way that refused a message (Sent::Full) takes messages again
  /// \param onOver  the connection has ended
  void watch(std::function<void()> onRoom, std::function<void()> onOver);
  void close();

  /// Takes a whole message, which \p frames are not needed for any more, or none. What was taken
  /// may be lost with the connection. \returns Unreachable when that has ended
  Sent send(Frames &frames);

private:
  void flush();
  void awaitRoom();
  void awaitEnd();
  void end();

  std::function<void()> onRoom_, onOver_;
  std::mutex mutex_; // guards what follows
  SealedWriter writer_;
  asio::ip::tcp::socket socket_;
  bool wanted_ = false; ///< a message has been refused
  bool over_ = false, closed_ = false;
};

} // namespace copse::fabric
