// Links with keys over tcp, whose packets go by sealed ways; and people at these.
#include "keyed_nodes.hpp"
#include "sealed_stream.hpp"
#include "tcp_relay.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
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
using Clock = LinkNode::Clock;

std::string contentOf(std::uint32_t number, std::size_t bytes) {
  std::string content(bytes, static_cast<char>('a' + number % 26));
  const std::string head = "top secret " + std::to_string(number);
  content.replace(0, std::min(bytes, head.size()), head, 0, std::min(bytes, head.size()));
  return content;
}

class SealedLinks : public ::testing::Test, protected test::KeyedNodes {
protected:
  SealedLinks() : first_(listen("ipu-0")), second_(listen("ipu-1")) {}
  ~SealedLinks() override {
    parties_["ipu-0"].node.reset(); // before the relays
    parties_["ipu-1"].node.reset();
  }

  void connectBoth() {
    connect(first_, 0, second_.endpoint());
    connect(second_, 1, first_.endpoint());
  }
  /// As connectBoth(), but what ipu 0 sends to ipu 1 goes through \p onBytes.
  void connectThroughRelay(TcpRelay::OnBytes onBytes) {
    const std::string endpoint = second_.endpoint();
    const std::string port = endpoint.substr(endpoint.rfind(':') + 1);
    curve_.emplace(static_cast<std::uint16_t>(std::stoi(port)));
    if (onBytes)
      sealed_.emplace(second_.sealedPort(), std::move(onBytes));
    connect(first_, 0, std::string("tcp://") + TcpRelay::kHost + ":" + port);
    connect(second_, 1, first_.endpoint());
  }

  template <class Until> bool soon(Until &&until, std::chrono::milliseconds patience = 10s) {
    for (const auto deadline = Clock::now() + patience; !until(); std::this_thread::sleep_for(1ms))
      if (Clock::now() > deadline)
        return false;
    return true;
  }
  bool isSealed(LinkNode &node) { return node.counters().front().sealed == 1; }
  bool becomesSealed(LinkNode &node) {
    return soon([&] { return isSealed(node); });
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
  /// From ipu 0 to ipu 1, packets \p first to \p last.
  void expectCarried(std::uint32_t first, std::uint32_t last, std::size_t bytes) {
    std::thread sender([&] {
      for (std::uint32_t i = first; i <= last; ++i)
        send(first_, 1, i, bytes);
    });
    for (std::uint32_t i = first; i <= last; ++i)
      expect(second_, 0, i, bytes);
    sender.join();
    EXPECT_EQ(second_.receive({0}, 0, Clock::now() + 20ms).status().code, wire::Code::Timeout)
        << "more came than was sent";
  }
  /// Says \p words to where ipu 1 listens for sealed ways. \returns the socket
  int say(const std::string &words) {
    const int socket = connectTo("127.0.0.1", second_.sealedPort());
    EXPECT_GE(socket, 0);
    (void)::send(socket, words.data(), words.size(), MSG_NOSIGNAL);
    return socket;
  }
  /// Whether the other end has closed it.
  bool isClosed(int socket) {
    char byte = 0;
    const ssize_t size = ::recv(socket, &byte, 1, MSG_DONTWAIT);
    return size == 0 || (size < 0 && errno != EAGAIN);
  }

  LinkNode &first_, &second_;
  std::optional<TcpRelay> curve_, sealed_;
};

TEST_F(SealedLinks, CarryEverythingInBothDirections) {
  connectBoth();
  ASSERT_TRUE(becomesSealed(first_));
  ASSERT_TRUE(becomesSealed(second_));
  const std::vector<std::size_t> sizes{0, 1, 16, 1'000, 65'536, 300'000, 5'000'000};
  const auto number = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
  std::thread other([&] {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      send(second_, 0, number(i), sizes[i]);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      expect(second_, 0, number(i), sizes[i]);
  });
  for (std::size_t i = 0; i < sizes.size(); ++i)
    send(first_, 1, number(i), sizes[i]);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    expect(first_, 1, number(i), sizes[i]);
  other.join();
  for (LinkNode *node : {&first_, &second_}) {
    EXPECT_EQ(node->malformed(), 0U);
    EXPECT_EQ(node->counters().front().resent, 0U);
    EXPECT_TRUE(isSealed(*node));
  }
}

TEST_F(SealedLinks, ShowNothingOfWhatTheyCarry) {
  std::atomic<std::size_t> seen{0};
  std::atomic<bool> readable{false};
  connectThroughRelay([&](std::size_t, std::string &bytes) {
    seen += bytes.size();
    if (bytes.find("secret") != std::string::npos || bytes.find("bbbb") != std::string::npos)
      readable = true;
    return true;
  });
  ASSERT_TRUE(becomesSealed(first_));
  expectCarried(1, 20, 30'000);
  EXPECT_GT(seen, 600'000U) << "it did not go this way";
  EXPECT_FALSE(readable);
}

TEST_F(SealedLinks, DropWhatWasChangedOnTheWayAndGoOn) {
  std::size_t passed = 0;
  connectThroughRelay([&](std::size_t, std::string &bytes) {
    const std::size_t at = 500'000; // of everything that passes here
    if (passed <= at && at < passed + bytes.size())
      bytes[at - passed] ^= 4;
    passed += bytes.size();
    return true;
  });
  ASSERT_TRUE(becomesSealed(first_));
  expectCarried(1, 40, 30'000);
  EXPECT_EQ(second_.malformed(), 1U);
  std::uint32_t next = 41;
  EXPECT_TRUE(soon([&] {
    expectCarried(next, next, 30'000);
    ++next;
    return isSealed(first_);
  })) << "no new way was made";
}

TEST_F(SealedLinks, DropWhatIsRepeatedOnTheWayAndGoOn) {
  bool repeated = false;
  connectThroughRelay([&](std::size_t, std::string &bytes) {
    if (bytes.size() > 40'000 && !std::exchange(repeated, true))
      bytes += bytes;
    return true;
  });
  ASSERT_TRUE(becomesSealed(first_));
  expectCarried(1, 40, 30'000);
  EXPECT_EQ(second_.malformed(), 1U);
}

TEST_F(SealedLinks, TakeNoRecordingOfAConnection) {
  std::mutex mutex;
  std::string recording;
  connectThroughRelay([&](std::size_t, std::string &bytes) {
    const std::lock_guard lock(mutex);
    recording += bytes;
    return true;
  });
  ASSERT_TRUE(becomesSealed(first_));
  expectCarried(1, 5, 1'000);
  const std::lock_guard lock(mutex);
  const auto before = second_.counters().front();
  for (const bool whole : {true, false}) {
    const int socket = say(whole ? recording : recording.substr(0, kSealIdBytes));
    EXPECT_TRUE(soon([&] { return isClosed(socket); }));
    ::close(socket);
  }
  EXPECT_TRUE(soon([&] { return second_.malformed() == 2; })) << second_.malformed();
  EXPECT_EQ(second_.counters().front().repeats, before.repeats);
  EXPECT_TRUE(isSealed(first_)) << "somebody else's connection has ended the neighbour's";
}

TEST_F(SealedLinks, NeverUseAKeyForTwoConnections) {
  std::mutex mutex;
  std::map<std::size_t, std::string> openings; // what each connection begins with
  connectThroughRelay([&](std::size_t number, std::string &bytes) {
    const std::lock_guard lock(mutex);
    std::string &opening = openings[number];
    opening += bytes;
    return opening.size() < 50'000; // cut
  });
  ASSERT_TRUE(becomesSealed(first_));
  std::uint32_t packet = 1;
  EXPECT_TRUE(soon([&] {
    for (int i = 0; i < 4; ++i, ++packet)
      expectCarried(packet, packet, 30'000);
    const std::lock_guard lock(mutex);
    return openings.size() >= 4;
  })) << "no new ways were made";
  const std::lock_guard lock(mutex);
  std::set<std::string> starts;
  for (const auto &[number, opening] : openings)
    starts.insert(opening.substr(0, kSealIdBytes));
  EXPECT_EQ(starts.size(), openings.size());
}

TEST_F(SealedLinks, GoThroughCurveWhereNobodyGetsToThePort) {
  connectThroughRelay({});
  expectCarried(1, 20, 30'000);
  EXPECT_FALSE(isSealed(first_));
  EXPECT_TRUE(becomesSealed(second_)) << "the other direction has its way";
  EXPECT_EQ(second_.malformed(), 0U);
}

TEST_F(SealedLinks, LetStrangersGoAndGoOn) {
  connectBoth();
  ASSERT_TRUE(becomesSealed(first_));
  std::vector<int> sockets;
  for (const std::string &words :
       {std::string(), std::string("GET / HTTP/1.1\r\nHost: ipu\r\n\r\n"), std::string(5, '\0'),
        std::string(kSealIdBytes, '\0'), std::string(100'000, 'x')})
    sockets.push_back(say(words));
  expectCarried(1, 20, 30'000);
  for (const int socket : sockets)
    EXPECT_TRUE(soon([&] { return isClosed(socket); })) << "also who says too little";
  EXPECT_TRUE(soon([&] { return second_.malformed() == sockets.size(); })) << second_.malformed();
  EXPECT_TRUE(isSealed(first_));
  for (const int socket : sockets)
    ::close(socket);
}

TEST_F(SealedLinks, KeepFewStrangersWaiting) {
  connectBoth();
  ASSERT_TRUE(becomesSealed(first_));
  std::vector<int> sockets;
  for (int i = 0; i < 200; ++i)
    sockets.push_back(say(""));
  const auto closed = [&] {
    return static_cast<std::size_t>(
        std::count_if(sockets.begin(), sockets.end(), [&](int one) { return isClosed(one); }));
  };
  EXPECT_TRUE(soon([&] { return closed() >= 184; }, 2s)) << "sooner than each one's time is over";
  EXPECT_TRUE(isSealed(first_));
  expectCarried(1, 5, 30'000);
  for (const int socket : sockets)
    ::close(socket);
}

TEST_F(SealedLinks, AreMadeAnewWithEachPartition) {
  connectBoth();
  ASSERT_TRUE(becomesSealed(first_));
  expectCarried(1, 5, 30'000);
  for (LinkNode *node : {&first_, &second_}) {
    ASSERT_TRUE(node->connect(LinkPlan{}).ok());
    EXPECT_TRUE(node->counters().empty());
  }
  connectBoth();
  ASSERT_TRUE(becomesSealed(first_));
  ASSERT_TRUE(becomesSealed(second_));
  expectCarried(6, 10, 30'000);
}

} // namespace
} // namespace copse::fabric
