#pragma once

#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include <string>
#include <sys/socket.h>
#include <sys/time.h>

namespace copse::test {

/// Returns "127.0.0.1:9471" for "tcp://127.0.0.1:9471", otherwise the text itself.
inline asio::ip::tcp::endpoint addressOf(const std::string &text) {
  const std::size_t begin = text.find("://") == std::string::npos ? 0 : text.find("://") + 3;
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(begin, colon - begin);
  if (host.starts_with('[')) // an address of IPv6
    host = host.substr(1, host.size() - 2);
  return {asio::ip::make_address(host),
          static_cast<std::uint16_t>(std::stoi(text.substr(colon + 1)))};
}

/// Returns the answer of an HTTP server at ADDRESS:PORT of this machine.
inline std::string scrape(const std::string &address) {
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  socket.connect(addressOf(address));
  const timeval timeout{10, 0};
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  asio::write(socket, asio::buffer(std::string("GET /metrics HTTP/1.0\r\n\r\n")));
  std::string text;
  asio::error_code end; // end of the file, or of the time
  asio::read(socket, asio::dynamic_buffer(text), end);
  return text;
}

} // namespace copse::test
