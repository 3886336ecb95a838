#pragma once

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace copse::test {

inline sockaddr_in addressOf(const std::string &host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

/// Returns a connected socket, or -1.
inline int connectTo(const std::string &host, std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in to = addressOf(host, port);
  if (::connect(socket, reinterpret_cast<const sockaddr *>(&to), sizeof to) == 0)
    return socket;
  ::close(socket);
  return -1;
}

/// An attacker between two ends: 127.0.0.2:PORT leads to 127.0.0.1:PORT, and the bytes sent there
/// pass through a function that may change them, hold them back, or close the connection.
class TcpRelay {
public:
  /// Handles bytes to the server, the next ones of connection \p number (from 0).
  /// \returns false: the connection is closed. On the relay's thread
  using OnBytes = std::function<bool(std::size_t number, std::string &bytes)>;

  /// \param bytesPerSecond  rate in both directions together; 0: unlimited
  explicit TcpRelay(std::uint16_t port, OnBytes onBytes = {}, double bytesPerSecond = 0)
      : port_(port), onBytes_(std::move(onBytes)), bytesPerSecond_(bytesPerSecond),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        end_(::eventfd(0, EFD_CLOEXEC)) {
    const sockaddr_in at = addressOf(kHost, port);
    const int yes = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr *>(&at), sizeof at), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    thread_ = std::thread([this] { run(); });
  }
  ~TcpRelay() {
    (void)::eventfd_write(end_, 1);
    thread_.join();
    for (const auto &[from, pipe] : pipes_)
      ::close(from);
    ::close(listener_);
    ::close(end_);
  }
  TcpRelay(const TcpRelay &) = delete;
  TcpRelay &operator=(const TcpRelay &) = delete;

  static constexpr const char *kHost = "127.0.0.2";

private:
  struct Pipe {
    int to;
    std::size_t number;
    bool forward;
  };

  void run() {
    for (;;) {
      std::vector<pollfd> items{{end_, POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const auto &[from, pipe] : pipes_)
        items.push_back({from, POLLIN, 0});
      ::poll(items.data(), items.size(), -1);
      if (items[0].revents != 0)
        return;
      if (items[1].revents != 0)
        accept();
      for (std::size_t i = 2; i < items.size(); ++i)
        if (items[i].revents != 0 && pipes_.contains(items[i].fd))
          pass(items[i].fd);
    }
  }

  void accept() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = connectTo("127.0.0.1", port_);
    if (server < 0) {
      ::close(client);
      return;
    }
    pipes_[client] = {server, connections_, true};
    pipes_[server] = {client, connections_++, false};
  }

  void pass(int from) {
    const Pipe pipe = pipes_.at(from);
    std::string bytes(64 << 10, '\0');
    const ssize_t size = ::recv(from, bytes.data(), bytes.size(), 0);
    bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    if (bytesPerSecond_ > 0)
      std::this_thread::sleep_for(
          std::chrono::duration<double>(static_cast<double>(bytes.size()) / bytesPerSecond_));
    const bool on = size > 0 && (!pipe.forward || !onBytes_ || onBytes_(pipe.number, bytes));
    for (std::size_t at = 0; on && at < bytes.size();) {
      const ssize_t sent = ::send(pipe.to, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0)
        break;
      at += static_cast<std::size_t>(sent);
    }
    if (on)
      return;
    ::close(from);
    ::close(pipe.to);
    pipes_.erase(from);
    pipes_.erase(pipe.to);
  }

  std::uint16_t port_;
  OnBytes onBytes_;
  double bytesPerSecond_;
  int listener_, end_;
  std::size_t connections_ = 0;
  std::map<int, Pipe> pipes_; ///< by the socket that is read
  std::thread thread_;
};

} // namespace copse::test
