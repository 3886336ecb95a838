#include "http_connection.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <sys/socket.h>
#include <utility>

namespace copse::metrics {
namespace {

// Longest time for the whole request, and again for the answer.
constexpr std::chrono::seconds kTimeout{2};

std::string response(const std::string &status, const std::string &type, const std::string &body) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
         body;
}

bool isBusy(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

} // namespace

HttpConnection::HttpConnection(asio::io_context &io, fabric::Descriptor socket, Page page,
                               OnEnd onEnd)
    : socket_(io, socket.release()), timeout_(io), page_(std::move(page)),
      onEnd_(std::move(onEnd)) {}

void HttpConnection::start() {
  timeout_.expires_after(kTimeout);
  timeout_.async_wait([self = shared_from_this()](const asio::error_code &cancelled) {
    if (!cancelled)
      self->end();
  });
  awaitRequest();
}

void HttpConnection::close() {
  timeout_.cancel();
  asio::error_code ignored;
  socket_.close(ignored);
}

void HttpConnection::end() {
  if (!socket_.is_open())
    return;
  const auto self = shared_from_this(); // the owner drops its handle
  close();
  onEnd_(*this);
}

void HttpConnection::awaitRequest() {
  socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [self = shared_from_this()](const asio::error_code &) {
                       if (self->socket_.is_open())
                         self->readRequest();
                     });
}

void HttpConnection::readRequest() {
  std::array<char, kMostBytes> bytes;
  const ssize_t size = ::recv(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size < 0 && isBusy(errno))
    return awaitRequest();
  if (size <= 0 || request_.size() + static_cast<std::size_t>(size) > kMostBytes)
    return end();
  request_.append(bytes.data(), static_cast<std::size_t>(size));
  if (request_.find("\r\n\r\n") == std::string::npos)
    return awaitRequest();
  answer_ = answerTo(request_);
  timeout_.expires_after(kTimeout);
  timeout_.async_wait([self = shared_from_this()](const asio::error_code &cancelled) {
    if (!cancelled)
      self->end();
  });
  sendAnswer();
}

std::string HttpConnection::answerTo(const std::string &request) const {
  const std::string line = request.substr(0, request.find("\r\n"));
  if (line.rfind("GET ", 0) != 0)
    return response("405 Method Not Allowed", "text/plain", "only GET is served here\n");
  const std::string path = line.substr(4, line.find_first_of(" ?", 4) - 4);
  if (path != "/metrics")
    return response("404 Not Found", "text/plain", "metrics are at /metrics\n");
  return response("200 OK", "text/plain; version=0.0.4; charset=utf-8", page_());
}

void HttpConnection::sendAnswer() {
  while (sent_ < answer_.size()) {
    const ssize_t sent = ::send(socket_.native_handle(), answer_.data() + sent_,
                                answer_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && isBusy(errno)) {
      socket_.async_wait(asio::posix::stream_descriptor::wait_write,
                         [self = shared_from_this()](const asio::error_code &) {
                           if (self->socket_.is_open())
                             self->sendAnswer();
                         });
      return;
    }
    if (sent < 0)
      return end();
    sent_ += static_cast<std::size_t>(sent);
  }
  end();
}

} // namespace copse::metrics
