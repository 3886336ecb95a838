// Tests a node whose name has a new address, like the name of a container that was replaced.
#include "temporary_folder.hpp"

#include "fabric/dial.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fstream>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace copse::fabric {
namespace {

constexpr char kBefore[] = "127.0.0.2", kNow[] = "127.0.0.3";

/// Makes this thread, and the threads that it starts, look names up in a file of their own.
class OwnNames {
public:
  explicit OwnNames(const std::string &address) {
    write(address);
    given_ = ::unshare(CLONE_NEWNS) == 0 &&
             ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
             ::mount(file().c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) == 0;
  }
  bool given() const { return given_; }
  void write(const std::string &address) const {
    std::ofstream(file(), std::ios::trunc) << address << " node.copse.test\n";
  }

private:
  std::string file() const { return folder_.file("hosts"); }
  test::TemporaryFolder folder_;
  bool given_ = false;
};

/// An address that does not answer, like a removed container's: its queue is full.
class SilentPlace {
public:
  explicit SilentPlace(const char *address) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    ::inet_pton(AF_INET, address, &where.sin_addr);
    const int listener = newSocket();
    socklen_t size = sizeof where;
    auto *const generic = reinterpret_cast<sockaddr *>(&where);
    EXPECT_EQ(::bind(listener, generic, size), 0);
    EXPECT_EQ(::listen(listener, 0), 0);
    EXPECT_EQ(::getsockname(listener, generic, &size), 0);
    port_ = ntohs(where.sin_port);
    for (bool answered = true; answered && sockets_.size() < 100;) {
      const int caller = newSocket();
      ::connect(caller, generic, size);
      pollfd wait{caller, POLLOUT, 0};
      answered = ::poll(&wait, 1, 200) > 0;
    }
  }
  ~SilentPlace() {
    for (const int socket : sockets_)
      ::close(socket);
  }
  SilentPlace(const SilentPlace &) = delete;
  SilentPlace &operator=(const SilentPlace &) = delete;
  std::string port() const { return std::to_string(port_); }

private:
  int newSocket() {
    sockets_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    return sockets_.back();
  }
  std::vector<int> sockets_;
  std::uint16_t port_ = 0;
};

TEST(Dial, FindsANodeByItsNameAtItsNewAddress) {
  bool given = false;
  std::thread([&given] {
    const OwnNames names(kBefore);
    given = names.given();
    if (!given)
      return;
    const SilentPlace before(kBefore);
    zmq::context_t context;
    zmq::socket_t way(context, zmq::socket_type::push), node(context, zmq::socket_type::pull);
    for (zmq::socket_t *socket : {&way, &node})
      socket->set(zmq::sockopt::linger, 0);
    dial(way, "tcp://node.copse.test:" + before.port());
    // The socket dials an address that does not answer.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    names.write(kNow);
    node.bind(std::string("tcp://") + kNow + ":" + before.port());
    node.set(zmq::sockopt::rcvtimeo, 10 * kDialMs);
    way.send(zmq::str_buffer("found"), zmq::send_flags::dontwait);
    zmq::message_t message;
    EXPECT_TRUE(node.recv(message)) << "it still calls at the old address";
  }).join();
  if (!given)
    GTEST_SKIP() << "this process may not give a thread names of its own";
}

} // namespace
} // namespace copse::fabric
