#include "partition_request.hpp"

#include "poplar/exceptions.hpp"
#include "types/environment.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace copse::engine {
namespace {

using poplar::no_environment;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxReplyBytes = std::size_t{1} << 20;

std::uint64_t numberIn(const char *name, std::uint64_t most, std::uint64_t otherwise) {
  return types::requireEnvironment(wire::numberOfEnvironment(name, 0, most, otherwise));
}

/// Returns the value of a variable, whose characters must be allowed in the head of a request.
std::string wordIn(const char *name) {
  const std::string text = wire::environmentVariable(name);
  const auto isPlain = [](unsigned char c) { return std::isalnum(c) || std::strchr("._-", c); };
  if (!std::all_of(text.begin(), text.end(), isPlain))
    throw no_environment(std::string(name) + " is '" + text +
                         "'; names have letters, digits, '.', '_' and '-'");
  return text;
}

/// A connection on which all waits share one deadline.
class Connection {
public:
  explicit Connection(const PartitionRequest &request) : source_(request.source()) {
    deadline_ = Clock::now() + request.timeout;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo *found = nullptr;
    if (const int error = ::getaddrinfo(request.host.c_str(), request.port.c_str(), &hints, &found);
        error != 0)
      throw no_environment(source_ + ": " + ::gai_strerror(error));
    const std::unique_ptr<addrinfo, void (*)(addrinfo *)> all(found, ::freeaddrinfo);
    std::string why;
    for (const addrinfo *one = found; one != nullptr; one = one->ai_next)
      if (connect(*one, why))
        return;
    throw no_environment(source_ + ": " + why + "; is a vipu-server there?");
  }
  ~Connection() { close(); }
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  void send(std::string_view text) {
    while (!text.empty()) {
      await(POLLOUT);
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN && errno != EINTR)
        fail();
      if (sent > 0)
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  /// Returns all bytes up to the end of the connection.
  std::string receiveAll() {
    std::string all;
    char part[4096];
    for (;;) {
      await(POLLIN);
      const ssize_t received = ::recv(socket_, part, sizeof part, 0);
      if (received == 0)
        return all;
      if (received < 0 && errno != EAGAIN && errno != EINTR)
        fail();
      if (received > 0)
        all.append(part, static_cast<std::size_t>(received));
      if (all.size() > kMaxReplyBytes)
        throw no_environment(source_ + ": the reply is longer than any partition's");
    }
  }

private:
  bool connect(const addrinfo &to, std::string &why) {
    close();
    socket_ = ::socket(to.ai_family, to.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, to.ai_protocol);
    int error = socket_ < 0 || ::connect(socket_, to.ai_addr, to.ai_addrlen) != 0 ? errno : 0;
    if (socket_ >= 0 && error == EINPROGRESS) {
      await(POLLOUT);
      socklen_t size = sizeof error;
      ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    why = std::generic_category().message(error);
    return error == 0;
  }
  void await(short events) {
    for (;;) {
      const auto rest =
          std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
      pollfd item{socket_, events, 0};
      const int ready = rest <= 0 ? 0 : ::poll(&item, 1, static_cast<int>(rest));
      if (ready > 0)
        return;
      if (ready == 0)
        throw no_environment(source_ + ": no reply in time; IPUOF_VIPU_API_TIMEOUT is the longest "
                                       "wait in seconds");
      if (errno != EINTR)
        fail();
    }
  }
  [[noreturn]] void fail() const {
    throw no_environment(source_ + ": " + std::generic_category().message(errno));
  }
  void close() {
    if (socket_ >= 0)
      ::close(socket_);
    socket_ = -1;
  }

  std::string source_;
  Clock::time_point deadline_;
  int socket_ = -1;
};

} // namespace

std::string PartitionRequest::source() const {
  return "partition '" + partition + "' of the V-IPU server at " + host + ":" + port;
}

PartitionRequest partitionRequestOfEnvironment() {
  PartitionRequest request;
  request.host = wire::environmentVariable("IPUOF_VIPU_API_HOST");
  if (request.host.empty())
    request.host = "localhost";
  request.port = std::to_string(numberIn("IPUOF_VIPU_API_PORT", 65'535, 8090));
  request.partition = wordIn("IPUOF_VIPU_API_PARTITION_ID");
  request.gcd = std::to_string(numberIn("IPUOF_VIPU_API_GCD_ID", 63, 0));
  request.timeout = std::chrono::seconds(numberIn("IPUOF_VIPU_API_TIMEOUT", 86'400, 120));
  request.user = wordIn("VIPU_CLI_API_USER_ID");
  request.key = wordIn("VIPU_CLI_API_ACCESS_KEY");
  return request;
}

std::string requestPartition(const PartitionRequest &request) {
  Connection connection(request);
  std::string head = "GET /v1/partitions/" + request.partition + "/config?gcd=" + request.gcd +
                     " HTTP/1.0\r\nHost: " + request.host + "\r\n";
  if (!request.user.empty())
    head += "X-Vipu-User: " + request.user + "\r\nX-Vipu-Key: " + request.key + "\r\n";
  connection.send(head + "\r\n");
  const std::string reply = connection.receiveAll();
  const std::size_t end = reply.find("\r\n\r\n");
  const std::string_view status = std::string_view(reply).substr(0, reply.find("\r\n"));
  if (end == std::string::npos || !status.starts_with("HTTP/1.") || status.size() < 12)
    throw no_environment(request.source() + ": what answers there is no V-IPU server");
  const std::string body = reply.substr(end + 4);
  if (status.substr(9, 3) != "200")
    throw no_environment(request.source() + ": " + body.substr(0, 500));
  return body;
}

} // namespace copse::engine
