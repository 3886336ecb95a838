#pragma once

#include "fabric/descriptor.hpp"

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace copse::metrics {

/// One request over HTTP and its answer. A client has a few seconds for both, and kMostBytes for
/// the request.
///
/// Life: start(); ends by itself, or by close(). Handlers that wait in the loop keep it alive.
///
/// Thread: the io_context's.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
public:
  static constexpr std::size_t kMostBytes = 4 << 10;

  /// \returns the body of the answer to GET /metrics
  using Page = std::function<std::string()>;
  using OnEnd = std::function<void(HttpConnection &)>;

  HttpConnection(asio::io_context &io, fabric::Descriptor socket, Page page, OnEnd onEnd);
  void start();
  void close();

private:
  void awaitRequest();
  void readRequest();
  std::string answerTo(const std::string &request) const;
  void sendAnswer();
  void end();

  asio::posix::stream_descriptor socket_;
  asio::steady_timer timeout_;
  Page page_;
  OnEnd onEnd_;
  std::string request_, answer_;
  std::size_t sent_ = 0; ///< bytes of the answer
};

} // namespace copse::metrics
