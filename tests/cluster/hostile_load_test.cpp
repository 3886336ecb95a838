// Tests hostile connections of all kinds to all sockets of real daemons, while programs run on
// their IPUs. There are a few of each kind; COPSE_TEST_CONNECTIONS sets how many of each kind, and
// COPSE_TEST_DAEMONS names the folder of the daemons, for example of a build with sanitizers.
#include "attacks.hpp"
#include "cluster_nodes.hpp"
#include "hostile_targets.hpp"
#include "process_facts.hpp"

#include "wire/descriptor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/un.h>
#include <thread>
#include <vector>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using wire::Descriptor;

int connectionsOfEachKind() {
  const char *const number = std::getenv("COPSE_TEST_CONNECTIONS");
  return number == nullptr ? 10 : std::atoi(number);
}

/// Calls \p connect with 0, 1, ... on a few threads, and says what was done.
void repeat(const std::string &kind, const std::function<void(int)> &connect) {
  std::atomic<int> next = 0;
  const int count = connectionsOfEachKind();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = next++; i < count; i = next++)
        connect(i);
    });
  for (std::thread &thread : threads)
    thread.join();
  std::printf("%6d %s\n", count, kind.c_str());
  std::fflush(stdout);
}

/// Runs programs on the IPUs of a cluster, one after another, during the object's lifetime.
class Programs {
public:
  explicit Programs(std::string file)
      : environment_{{"COPSE_CLUSTER", std::move(file)}, {"COPSE_HOST", "host"}}, thread_([this] {
          do
            runOne();
          while (!ends_);
        }) {}
  ~Programs() {
    ends_ = true;
    thread_.join();
    std::printf("%6d programs meanwhile\n", programs_);
  }
  Programs(const Programs &) = delete;
  Programs &operator=(const Programs &) = delete;

private:
  void runOne() {
    ChildProcess program({COPSE_HOST_PROGRAM, "2", "10"}, environment_);
    EXPECT_EQ(program.wait(300s), 0) << program.output() << program.errors();
    ++programs_;
  }

  std::map<std::string, std::string> environment_;
  std::atomic<bool> ends_ = false;
  int programs_ = 0;
  std::thread thread_;
};

/// Ends a daemon, which must not have reported anything.
void endInOrder(ChildProcess &daemon) {
  EXPECT_FALSE(daemon.wait(0ms)) << daemon.errors();
  daemon.kill(SIGTERM);
  EXPECT_EQ(daemon.wait(60s), 0);
  EXPECT_THAT(daemon.errors(), ::testing::Not(::testing::HasSubstr("Sanitizer")));
  EXPECT_THAT(daemon.errors(), ::testing::Not(::testing::HasSubstr("runtime error")));
}

Descriptor connectTo(const sockaddr_in &port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval timeout{0, 50'000};
  ::setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  (void)::connect(socket.number(), reinterpret_cast<const sockaddr *>(&port), sizeof port);
  return socket;
}
bool say(const Descriptor &socket, const std::string &bytes) {
  return ::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

/// Returns greetings and handshakes of TLS, CURVE and NULL, like the first inputs of a fuzzer.
std::vector<std::string> handshakes() {
  std::vector<std::string> all{greeting("NULL"), greeting("CURVE"), nullHandshake("DEALER"),
                               "GET /metrics HTTP/1.0\r\n\r\n"};
  for (const char *name : {"tls_handshake/hello", "zmtp/curve", "zmtp/null"}) {
    std::ifstream file(std::filesystem::path(FUZZ_CORPUS) / name, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_FALSE(bytes.empty()) << name;
    all.push_back(name[0] == 'z' ? bytes.substr(1) : bytes); // the first byte is the fuzzer's
  }
  return all;
}

class HostileLoad : public ::testing::TestWithParam<bool> {
protected:
  std::vector<sockaddr_in> ports() const {
    std::vector<sockaddr_in> all;
    for (const auto &daemon : nodes_.daemons())
      for (const sockaddr_in &port : listeningPorts(daemon->pid()))
        all.push_back(port);
    return all;
  }

  void attackAsStrangers() {
    const auto places = ports();
    const auto placeOf = [&](int i) { return places[static_cast<std::size_t>(i) % places.size()]; };
    for (const Attack &attack : attacks())
      repeat(std::string("stranger: ") + attack.name, [&](int i) {
        const Descriptor socket = connectTo(placeOf(i));
        if (say(socket, attack.first) && !attack.rest.empty())
          for (int turn = 0; turn < 4 && say(socket, attack.rest); ++turn)
            ;
        keep(socket);
      });
    repeat("stranger: OneByteAfterAnother", [&](int i) {
      const Descriptor socket = connectTo(placeOf(i));
      for (const char byte : greeting(i % 2 == 0 ? "CURVE" : "NULL"))
        if (say(socket, {byte}))
          std::this_thread::sleep_for(1ms);
    });
    const auto real = handshakes();
    repeat("stranger: DamagedHandshake", [&](int i) {
      HostileMessages hostile(real, static_cast<std::uint32_t>(i));
      const Descriptor socket = connectTo(placeOf(i));
      while (hostile.number(4) != 0 && say(socket, hostile.frame()))
        ;
    });
  }

  void attackWithWrongKeys() {
    const auto targets = targetsOf(nodes_);
    repeat("peer with a key that nobody knows", [&](int i) {
      Target target = targets[static_cast<std::size_t>(i) % targets.size()];
      target.keys =
          std::make_shared<fabric::Keyring>("mallory", fabric::newKeyPair(), nodes_.publicKeys());
      speak(target, i);
    });
  }

  /// \param ofWhat  IPUs that another host holds, or that they can take
  void attackAsPeers(const std::string &ofWhat) {
    const auto targets = targetsOf(nodes_);
    const auto targetOf = [&](int i) {
      return targets[static_cast<std::size_t>(i) % targets.size()];
    };
    repeat("peer of " + ofWhat + ": Nonsense", [&](int i) { speak(targetOf(i), i); });
    repeat("peer of " + ofWhat + ": TooLong", [&](int i) {
      zmq::socket_t socket = dial(context_, targetOf(i));
      (void)send(socket, std::string(8 << 20, 'x'), false);
      std::this_thread::sleep_for(50ms);
    });
  }

  std::map<std::string, std::string> environment() const {
    return {{"COPSE_CLUSTER", nodes_.file()}, {"COPSE_HOST", "host"}};
  }
  TcpNodes nodes_{GetParam()};
  zmq::context_t context_{2, 4096};

private:
  /// Some connections end late.
  void keep(const Descriptor &socket) {
    const std::lock_guard lock(mutex_);
    kept_.emplace_back(::fcntl(socket.number(), F_DUPFD_CLOEXEC, 0));
    if (kept_.size() > 64)
      kept_.pop_front();
  }
  void speak(const Target &target, int seed) {
    HostileMessages hostile(target.messages, static_cast<std::uint32_t>(seed));
    zmq::socket_t socket = dial(context_, target);
    if (target.type == zmq::socket_type::dealer) // takes a free IPU, or opens a store
      (void)send(socket, target.messages.front(), false);
    sendNonsense(socket, target, hostile, 10);
    std::this_thread::sleep_for(50ms); // sends what was given to the socket
  }

  std::mutex mutex_;
  std::deque<Descriptor> kept_;
};
INSTANTIATE_TEST_SUITE_P(Clusters, HostileLoad, ::testing::Bool(), [](const auto &p) {
  return std::string(p.param ? "WithKeys" : "WithoutKeys");
});

TEST_P(HostileLoad, EndsNoDaemonAndNoProgram) {
  {
    const Programs programs(nodes_.file());
    attackAsStrangers();
    if (GetParam())
      attackWithWrongKeys();
  }
  {
    ChildProcess program({COPSE_HOST_PROGRAM, "2", "forever"}, environment());
    ASSERT_TRUE(program.waitForOutput(": 12345", 60s)) << program.output() << program.errors();
    attackAsPeers("held IPUs");
    EXPECT_FALSE(program.wait(0ms)) << program.output() << program.errors();
  }
  attackAsPeers("free IPUs");
  EXPECT_TRUE(soon([&] { // the last peers' IPUs are free again
    return ChildProcess({COPSE_HOST_PROGRAM, "2", "1"}, environment()).wait(60s) == 0;
  }));
  for (const auto &daemon : nodes_.daemons()) {
    std::printf("%6.0f connections refused by a daemon\n", TcpNodes::refusedBy(*daemon));
    endInOrder(*daemon);
  }
}

/// Sends a datagram, or a first message, with descriptors.
void sendWithDescriptors(const std::filesystem::path &path, int type, HostileMessages &hostile) {
  const Descriptor socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(socket.number(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
    return;
  std::string bytes = hostile.frame();
  iovec part{bytes.data(), bytes.size()};
  const Descriptor opened(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::vector<int> numbers(hostile.number(20), opened.number());
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(20 * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!numbers.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(numbers.size() * sizeof(int));
    cmsghdr *const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(numbers.size() * sizeof(int));
    std::memcpy(CMSG_DATA(rights), numbers.data(), numbers.size() * sizeof(int));
  }
  (void)::sendmsg(socket.number(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

TEST(HostileLoadOverUnixSockets, EndsNoDaemonAndNoProgramAndLeavesNoDescriptor) {
  constexpr unsigned kIpus = 2;
  ClusterNodes nodes(kIpus, 3s);
  std::vector<std::filesystem::path> sockets;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::filesystem::path(nodes.file()).parent_path()))
    if (entry.is_socket())
      sockets.push_back(entry.path());
  ASSERT_GE(sockets.size(), 6U);
  std::vector<std::string> real = syncMessages();
  for (const auto &more : {linkMessages(), sessionMessages()})
    real.insert(real.end(), more.begin(), more.end());
  std::array<std::size_t, kIpus> before{};
  for (unsigned ipu = 0; ipu < kIpus; ++ipu)
    before[ipu] = descriptorsOf(nodes.process(ipu).pid());
  {
    const Programs programs(nodes.file());
    for (const auto &[name, type] : {std::pair{"datagrams", SOCK_DGRAM},
                                     {"streams", SOCK_STREAM},
                                     {"packets", SOCK_SEQPACKET}})
      repeat(std::string("Unix sockets with descriptors: ") + name, [&](int i) {
        HostileMessages hostile(real, static_cast<std::uint32_t>(i));
        for (const auto &path : sockets)
          sendWithDescriptors(path, type, hostile);
      });
  }
  for (unsigned ipu = 0; ipu < kIpus; ++ipu) {
    // A connection that sends nothing more may stay for 3 s, and the program leaves a few pages.
    EXPECT_TRUE(soon([&] { return descriptorsOf(nodes.process(ipu).pid()) <= before[ipu] + 8; }))
        << descriptorsOf(nodes.process(ipu).pid()) << " descriptors, " << before[ipu] << " before";
    endInOrder(nodes.process(ipu));
  }
}

} // namespace
} // namespace copse::test
