// Tests links with keys over tcp, and attackers at their port or between them.
#include "bad_wire_seeds.hpp"
#include "keyed_nodes.hpp"
#include "tcp_relay.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;
using copse::test::connectTo;
using copse::test::TcpRelay;
using Clock = std::chrono::steady_clock;

std::string contentOf(std::uint32_t number, std::size_t bytes) {
  std::string content(bytes, static_cast<char>('a' + number % 26));
  const std::string head = "top secret " + std::to_string(number);
  content.replace(0, std::min(bytes, head.size()), head, 0, std::min(bytes, head.size()));
  return content;
}

class KeyedLinks : public ::testing::Test, protected test::KeyedNodes {
protected:
  ~KeyedLinks() override {
    parties_["ipu-0"].node.reset(); // before the relay
    parties_["ipu-1"].node.reset();
  }

  LinkNode &first() { return *parties_["ipu-0"].node; }
  LinkNode &second() { return *parties_["ipu-1"].node; }
  void listenBoth(const TlsOptions &options = {}) {
    listen("ipu-0", options);
    listen("ipu-1", options);
  }
  void connectBoth() {
    connect(first(), 0, second().endpoint());
    connect(second(), 1, first().endpoint());
  }
  void start(const TlsOptions &options = {}) {
    listenBoth(options);
    connectBoth();
  }
  /// Like start(), with a relay between ipu 0 and ipu 1 that calls \p onBytes.
  void startThroughRelay(TcpRelay::OnBytes onBytes, const TlsOptions &options = {}) {
    listenBoth(options);
    const std::uint16_t port = second().endpoint().port();
    relay_.emplace(port, std::move(onBytes));
    connect(first(), 0, Endpoint::tcp(TcpRelay::kHost, port));
    connect(second(), 1, first().endpoint());
  }

  /// Ends the relay's thread: onBytes and what it refers to are the test's again.
  void stopRelay() { relay_.reset(); }

  template <class Until> bool soon(Until &&until, std::chrono::milliseconds timeout = 10s) {
    for (const auto deadline = Clock::now() + timeout; !until(); std::this_thread::sleep_for(1ms))
      if (Clock::now() > deadline)
        return false;
    return true;
  }

  void send(LinkNode &node, std::uint32_t to, std::uint32_t number, std::size_t bytes) {
    const std::string content = contentOf(number, bytes);
    Payload payload(bytes);
    std::memcpy(payload.data(), content.data(), bytes);
    const auto status = node.send({to}, number, std::move(payload));
    ASSERT_TRUE(status.ok()) << status.message;
  }
  void expect(LinkNode &node, std::uint32_t from, std::uint32_t number, std::size_t bytes) {
    const auto got = node.receive({from}, number, Clock::now() + 20s);
    ASSERT_TRUE(got.ok()) << got.status().message;
    const std::string content(reinterpret_cast<const char *>(got->data()), got->size());
    ASSERT_TRUE(content == contentOf(number, bytes)) << number;
  }
  /// Expects that packets \p begin to \p last travel from ipu 0 to ipu 1.
  void expectCarried(std::uint32_t begin, std::uint32_t last, std::size_t bytes) {
    std::thread sender([&] {
      for (std::uint32_t i = begin; i <= last; ++i)
        send(first(), 1, i, bytes);
    });
    for (std::uint32_t i = begin; i <= last && !HasFailure(); ++i) // one packet's timeout is enough
      expect(second(), 0, i, bytes);
    sender.join();
    EXPECT_EQ(second().receive({0}, 0, Clock::now() + 20ms).status().code, wire::Code::Timeout)
        << "more came than was sent";
  }
  /// Sends \p words to the endpoint of ipu 1.
  /// \returns the socket
  int say(const std::string &words) {
    const int socket = connectTo("127.0.0.1", second().endpoint().port());
    EXPECT_GE(socket, 0);
    (void)::send(socket, words.data(), words.size(), MSG_NOSIGNAL);
    return socket;
  }
  /// Returns true if the other end has closed the connection. Discards what it has sent.
  bool isClosed(int socket) {
    std::array<char, 4096> bytes{};
    for (;;) {
      const ssize_t size = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (size <= 0)
        return size == 0 || errno != EAGAIN;
    }
  }

  std::optional<TcpRelay> relay_;
};

TEST_F(KeyedLinks, CarryEverythingInBothDirections) {
  start();
  const std::vector<std::size_t> sizes{0, 1, 16, 1'000, 65'536, 300'000, 5'000'000};
  const auto number = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
  std::thread other([&] {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      send(second(), 0, number(i), sizes[i]);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      expect(second(), 0, number(i), sizes[i]);
  });
  for (std::size_t i = 0; i < sizes.size(); ++i)
    send(first(), 1, number(i), sizes[i]);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    expect(first(), 1, number(i), sizes[i]);
  other.join();
  for (LinkNode *node : {&first(), &second()}) {
    EXPECT_EQ(node->malformed(), 0U);
    EXPECT_EQ(node->counters().front().resent, 0U);
  }
}

TEST_F(KeyedLinks, EncryptEverythingThatTheyCarry) {
  std::atomic<std::size_t> seen{0};
  std::atomic<bool> readable{false};
  startThroughRelay([&](std::size_t, std::string &bytes) {
    seen += bytes.size();
    if (bytes.find("secret") != std::string::npos || bytes.find("bbbb") != std::string::npos)
      readable = true;
    return true;
  });
  expectCarried(1, 20, 30'000);
  stopRelay();
  EXPECT_GT(seen, 600'000U) << "it did not go this way";
  EXPECT_FALSE(readable);
}

// Tests offsets all over the stream: in the handshake, in lengths, headers, payloads and tags. If a
// length of TLS has grown, the link loses the time of a handshake.
TEST_F(KeyedLinks, DropBytesChangedAtAnyOffsetAndContinue) {
  std::mutex mutex;
  constexpr std::size_t kChanges = 24;
  TlsOptions options;
  options.handshake = 300ms;
  std::size_t next = 7, changed = 0; // byte of the connection that is changed next
  std::map<std::size_t, std::size_t> passed;
  startThroughRelay(
      [&](std::size_t number, std::string &bytes) {
        const std::lock_guard lock(mutex);
        std::size_t &before = passed[number];
        if (before <= next && next < before + bytes.size() && changed < kChanges) {
          bytes[next - before] ^= 4;
          next = (next * 3 + 11) % 9'000;
          ++changed;
        }
        before += bytes.size();
        return true;
      },
      options);
  std::uint32_t packet = 1;
  EXPECT_TRUE(soon(
      [&] {
        expectCarried(packet, packet + 3, 5'000);
        packet += 4;
        const std::lock_guard lock(mutex);
        return changed == kChanges;
      },
      60s));
  stopRelay();
  EXPECT_GE(second().malformed() + refusedBy("ipu-1"), 5U);
}

TEST_F(KeyedLinks, DropRepeatedBytesAndContinue) {
  bool repeated = false;
  startThroughRelay([&](std::size_t, std::string &bytes) {
    if (bytes.size() > 40'000 && !std::exchange(repeated, true))
      bytes += bytes;
    return true;
  });
  expectCarried(1, 40, 30'000);
  stopRelay();
  EXPECT_EQ(second().malformed(), repeated ? 1U : 0U);
}

// A connection with faults: by seed, bits flip, bytes are lost or repeated, and connections break.
class FaultyKeyedLinks : public KeyedLinks, public ::testing::WithParamInterface<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, FaultyKeyedLinks,
                         ::testing::Range(1u, copse::test::badWireSeeds() + 1));

TEST_P(FaultyKeyedLinks, NothingIsLostRepeatedOrDamaged) {
  std::minstd_rand random(GetParam());
  std::size_t left = 30'000 + random() % 100'000; // bytes until the next misfortune
  std::size_t misfortunes = 0;
  TlsOptions options;
  options.handshake = 300ms; // a handshake whose lengths are damaged takes all of it
  startThroughRelay(
      [&](std::size_t, std::string &bytes) {
        if (bytes.size() < left || misfortunes >= 12) {
          left -= std::min(left, bytes.size());
          return true;
        }
        const std::size_t at = std::min(left, bytes.size() - 1);
        left = 30'000 + random() % 100'000;
        ++misfortunes;
        switch (random() % 4) {
        case 0:
          bytes[at] ^= static_cast<char>(1 << (random() % 8));
          return true;
        case 1:
          bytes.erase(at, 1 + random() % 100);
          return true;
        case 2:
          bytes.insert(at, bytes.substr(at, 1 + random() % 100));
          return true;
        default:
          bytes.resize(at); // truncated
          return false;
        }
      },
      options);
  expectCarried(1, 60, 30'000);
  stopRelay();
  EXPECT_GE(misfortunes, 5U);
}

TEST_F(KeyedLinks, RefuseTheReplayOfAConnection) {
  std::mutex mutex;
  std::string recording;
  startThroughRelay([&](std::size_t, std::string &bytes) {
    const std::lock_guard lock(mutex);
    recording += bytes;
    return true;
  });
  expectCarried(1, 5, 1'000);
  stopRelay();
  const std::lock_guard lock(mutex);
  const auto before = second().counters().front();
  const int socket = say(recording);
  EXPECT_TRUE(soon([&] { return isClosed(socket); }));
  ::close(socket);
  EXPECT_TRUE(soon([&] { return refusedBy("ipu-1") == 1; })) << refusedBy("ipu-1");
  EXPECT_EQ(second().counters().front().repeats, before.repeats);
}

TEST_F(KeyedLinks, ReconnectWithNewBytesWhenTheyAreCut) {
  std::mutex mutex;
  std::map<std::size_t, std::string> openings; // the first bytes of each connection
  startThroughRelay([&](std::size_t number, std::string &bytes) {
    const std::lock_guard lock(mutex);
    std::string &opening = openings[number];
    opening += bytes;
    return opening.size() < 50'000; // cut
  });
  std::uint32_t packet = 1;
  EXPECT_TRUE(soon([&] {
    for (int i = 0; i < 4; ++i, ++packet)
      expectCarried(packet, packet, 30'000);
    const std::lock_guard lock(mutex);
    return openings.size() >= 4;
  })) << "no new connections were made";
  stopRelay();
  const std::lock_guard lock(mutex);
  std::set<std::string> starts;
  for (const auto &[number, opening] : openings)
    starts.insert(opening.substr(0, 100));
  EXPECT_EQ(starts.size(), openings.size());
}

TEST_F(KeyedLinks, ReconnectWithANewKeyWhenTheOldOneIsUsedUp) {
  std::atomic<std::size_t> connections{0};
  TlsOptions options;
  options.bytesPerKey = 100'000;
  startThroughRelay(
      [&](std::size_t number, std::string &) {
        connections = std::max<std::size_t>(connections, number + 1);
        return true;
      },
      options);
  expectCarried(1, 40, 30'000);
  stopRelay();
  EXPECT_GE(connections, 8U) << "1.2 MB, 100 kB a key";
  EXPECT_EQ(second().malformed(), 0U);
}

TEST_F(KeyedLinks, ReconnectWhenTheNeighbourReturnsAtItsPort) {
  start();
  expectCarried(1, 5, 30'000);
  const Endpoint at = second().endpoint();
  parties_["ipu-1"].node.reset();
  first().reset(0);
  listen("ipu-1", {}, at);
  connect(second(), 1, first().endpoint());
  expectCarried(6, 10, 30'000);
}

TEST_F(KeyedLinks, CloseUnauthenticatedConnectionsAndContinue) {
  TlsOptions options;
  options.handshake = 300ms;
  start(options);
  expectCarried(1, 1, 10);
  std::vector<int> sockets;
  for (const std::string &words :
       {std::string(), std::string("GET / HTTP/1.1\r\nHost: ipu\r\n\r\n"), std::string(5, '\0'),
        std::string(16, '\0'), std::string("\x16\x03\x01\x00\x05half", 9),
        std::string(100'000, 'x')})
    sockets.push_back(say(words));
  expectCarried(2, 20, 30'000);
  for (const int socket : sockets)
    EXPECT_TRUE(soon([&] { return isClosed(socket); })) << "also one that says too little";
  EXPECT_TRUE(soon([&] { return refusedBy("ipu-1") == sockets.size(); })) << refusedBy("ipu-1");
  expectCarried(21, 22, 30'000);
  for (const int socket : sockets)
    ::close(socket);
}

TEST_F(KeyedLinks, LimitUnauthenticatedConnections) {
  start();
  expectCarried(1, 1, 10);
  std::vector<int> sockets;
  for (int i = 0; i < 200; ++i)
    sockets.push_back(say(""));
  const auto closed = [&] {
    return static_cast<std::size_t>(
        std::count_if(sockets.begin(), sockets.end(), [&](int one) { return isClosed(one); }));
  };
  EXPECT_TRUE(soon([&] { return closed() >= 184; }, 2s)) << "sooner than each one's time is over";
  expectCarried(2, 5, 30'000);
  for (const int socket : sockets)
    ::close(socket);
}

TEST_F(KeyedLinks, ReconnectForEachPartition) {
  start();
  expectCarried(1, 5, 30'000);
  for (LinkNode *node : {&first(), &second()}) {
    ASSERT_TRUE(node->connect(LinkPlan{}).ok());
    EXPECT_TRUE(node->counters().empty());
  }
  connectBoth();
  expectCarried(6, 10, 30'000);
}

TEST_F(KeyedLinks, SendNothingToANodeThatIsNotTheNeighbour) {
  listenBoth();
  connect(first(), 0, listen("stranger").endpoint()); // it says that it is ipu 1
  Payload payload(100);
  ASSERT_TRUE(first().send({1}, 7, std::move(payload)).ok()) << "it waits in the link";
  EXPECT_TRUE(soon([&] { return first().malformed() >= 2; })) << "it is tried again";
  EXPECT_GE(refusedBy("stranger"), 1U);
  EXPECT_EQ(first().counters().front().packetsSent, 0U);
}

TEST_F(KeyedLinks, AcceptNothingFromNodesWithoutThatRole) {
  listenBoth();
  connect(first(), 0, second().endpoint());
  for (const char *name : {"host", "stranger", "rbufd"}) {
    LinkNode &node = listen(name);
    connect(node, 1, first().endpoint());
    ASSERT_TRUE(node.send({0}, 7, Payload(10)).ok());
  }
  EXPECT_TRUE(soon([&] { return refusedBy("ipu-0") >= 3; }));
  EXPECT_EQ(first().receive({1}, 7, Clock::now() + 100ms).status().code, wire::Code::Timeout);
}

TEST_F(KeyedLinks, RefuseMessagesInAnotherNodesName) {
  listenBoth();
  connect(first(), 0, second().endpoint());
  LinkNode &third = listen("ipu-2");
  connect(third, 1, first().endpoint()); // with its own key, but as if it were ipu 1
  ASSERT_TRUE(third.send({0}, 7, Payload(10)).ok());
  EXPECT_TRUE(soon([&] { return first().malformed() >= 1; }));
  EXPECT_EQ(first().receive({1}, 7, Clock::now() + 100ms).status().code, wire::Code::Timeout);
}

TEST_F(KeyedLinks, NameTheNodeWithoutAKey) {
  LinkNode &node = listen("ipu-0");
  LinkPlan plan;
  plan.ipus = 2;
  plan.endpoints = {{{1}, node.endpoint()}};
  plan.names = {{{0}, "ipu-0"}, {{1}, "ipu-17"}};
  const auto status = node.connect(plan);
  EXPECT_EQ(status.code, wire::Code::InvalidOption);
  EXPECT_THAT(status.message, ::testing::HasSubstr("'ipu-17'"));
}

} // namespace
} // namespace copse::fabric
