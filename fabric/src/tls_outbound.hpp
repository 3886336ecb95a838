#pragma once

#include "locks/mutex.hpp"
#include "record_stream.hpp"
#include "tls_handshake.hpp"

#include "fabric/endpoint.hpp"
#include "fabric/tls.hpp"
#include "fabric/transport.hpp"

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace copse::fabric {

/// The TLS connection on which one neighbour receives messages. Whenever it breaks, it is opened
/// again with fresh keys; messages that it had accepted may be lost then.
///
/// Life: start(), send(), close(). The last handler may outlive close().
///
/// Thread: the reactor's, except for send() and close(), which any thread may call.
class TlsOutbound : public std::enable_shared_from_this<TlsOutbound> {
public:
  struct Handlers {
    std::function<void()> onRoom; ///< a message was refused, and may be accepted now
    /// Called if the peer that answers is not the neighbour.
    std::function<void(const std::string &why)> onBad;
  };

  TlsOutbound(asio::io_context &io, std::shared_ptr<const TlsContext> context,
              const TlsOptions &options, Endpoint to, std::string name, Handlers handlers);

  void start();
  void close();
  /// Sends a whole message, or none.
  Sent send(Frames &frames);

private:
  enum class Stage : std::uint8_t { Resting, Dialling, Shaking, Open, Closed };

  void dial() COPSE_REQUIRES(mutex_);
  void shakeHands() COPSE_REQUIRES(mutex_);
  void stepHandshake() COPSE_REQUIRES(mutex_);
  void opened() COPSE_REQUIRES(mutex_);
  void retry() COPSE_REQUIRES(mutex_);
  void disconnect() COPSE_REQUIRES(mutex_);
  void flush() COPSE_REQUIRES(mutex_);
  template <class Work> void replaceSoon(Work work) COPSE_REQUIRES(mutex_);
  void awaitRoom() COPSE_REQUIRES(mutex_);
  void awaitEnd() COPSE_REQUIRES(mutex_);
  /// Returns a handler that runs \p work with mutex_ held, unless the connection has been replaced
  /// by then; afterwards it calls the handlers that are due.
  template <class Work> auto later(Work work) COPSE_REQUIRES(mutex_);

  asio::io_context &io_;
  std::shared_ptr<const TlsContext> context_;
  const TlsOptions options_;
  const Endpoint to_;
  const std::string name_;
  const Handlers handlers_;

  locks::Mutex mutex_; // also guards the three objects of Asio
  Stage stage_ COPSE_GUARDED_BY(mutex_) = Stage::Resting;
  std::uint64_t attempt_ COPSE_GUARDED_BY(mutex_) = 0; ///< number of the connection
  asio::ip::tcp::resolver resolver_;
  asio::ip::tcp::socket socket_;
  /// Ends attempts that take too long, and the pause between two attempts.
  asio::steady_timer timer_;
  std::optional<TlsHandshake> handshake_ COPSE_GUARDED_BY(mutex_); ///< while Shaking
  std::optional<RecordWriter> writer_ COPSE_GUARDED_BY(mutex_);    ///< while Open
  std::uint64_t
      /// Bytes that were encrypted with the connection's key.
      bytesOfKey_ COPSE_GUARDED_BY(mutex_) = 0;
  std::chrono::milliseconds pause_ COPSE_GUARDED_BY(mutex_);
  bool wanted_ COPSE_GUARDED_BY(mutex_) = false;  ///< a message has been refused
  bool waiting_ COPSE_GUARDED_BY(mutex_) = false; ///< waits for room in the socket
  std::string bad_ COPSE_GUARDED_BY(mutex_);      ///< to be reported
};

} // namespace copse::fabric
