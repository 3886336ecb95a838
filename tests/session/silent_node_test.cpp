#include "silent_node.hpp"
#include "temporary_folder.hpp"

#include "fabric/keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zmq.hpp>

#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace copse::session {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A port of loopback on which a socket listens, or no longer does.
class Port {
public:
  Port() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *const generic = reinterpret_cast<sockaddr *>(&address);
    EXPECT_EQ(::bind(socket_, generic, size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    EXPECT_EQ(::getsockname(socket_, generic, &size), 0);
    endpoint_ = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~Port() { close(); }
  Port(const Port &) = delete;
  Port &operator=(const Port &) = delete;
  void close() {
    if (socket_ >= 0)
      ::close(socket_);
    socket_ = -1;
  }
  const std::string &endpoint() const { return endpoint_; }

private:
  int socket_;
  std::string endpoint_;
};

TEST(SilentNode, DiffersFromANameThatCannotBeFound) {
  const auto before = std::chrono::steady_clock::now();
  EXPECT_THAT(whySilent("tcp://no-such-host.invalid:7100", false),
              AnyOf(StartsWith("the name 'no-such-host.invalid' cannot be found ("),
                    StartsWith("no name server has answered for 'no-such-host.invalid'")));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
}

TEST(SilentNode, DiffersFromAPortWithoutAListener) {
  Port port;
  port.close();
  EXPECT_THAT(whySilent(port.endpoint(), false),
              StartsWith("nothing listens there; start its ipud"));
  const test::TemporaryFolder folder;
  EXPECT_THAT(whySilent("ipc://" + folder.file("none"), false),
              StartsWith("nothing listens there"));
}

TEST(SilentNode, DiffersFromAnotherProgram) {
  const Port port;
  EXPECT_THAT(whySilent(port.endpoint(), false), HasSubstr("does not answer"));
}

/// Returns what a ZeroMQ socket at a port of loopback is taken for.
std::string seenAs(const fabric::KeyPair *keys, bool hasKeys) {
  zmq::context_t context(1);
  zmq::socket_t socket(context, zmq::socket_type::router);
  socket.set(zmq::sockopt::linger, 0);
  if (keys != nullptr) {
    socket.set(zmq::sockopt::curve_server, true);
    socket.set(zmq::sockopt::curve_secretkey, keys->secretKey);
  }
  socket.bind("tcp://127.0.0.1:*");
  return whySilent(socket.get(zmq::sockopt::last_endpoint), hasKeys);
}

TEST(SilentNode, DiffersFromANodeWithOtherKeys) {
  const fabric::KeyPair keys = fabric::newKeyPair();
  EXPECT_THAT(seenAs(&keys, false), HasSubstr("wants keys, and the cluster file names none"));
  EXPECT_THAT(seenAs(nullptr, true), HasSubstr("has no keys, and the cluster file names some"));
  EXPECT_THAT(seenAs(nullptr, false), HasSubstr("takes connections, but does not answer"));
}

} // namespace
} // namespace copse::session
