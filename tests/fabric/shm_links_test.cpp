#include "link_cluster.hpp"
#include "local_socket.hpp"
#include "ring_handshake.hpp"
#include "ring_layout.hpp"

#include "wire/ring_header.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <vector>

namespace copse::fabric {
namespace {

using namespace test;
using ::testing::HasSubstr;
using wire::Code;
using wire::Topology;

LinkOptions patient() {
  LinkOptions options;
  options.deadline = 30s; // so long that nothing is detected by the deadline
  return options;
}

/// Sends a payload in memory of the link, and expects that it arrives.
void expectArrives(LinkCluster &cluster, std::uint32_t from, std::uint32_t to, std::size_t bytes) {
  Payload payload = cluster[from].payloadTo({to}, bytes);
  ASSERT_EQ(payload.size(), bytes);
  if (bytes > 0)
    std::memset(payload.data(), 42, bytes);
  ASSERT_TRUE(cluster[from].send({to}, 1, std::move(payload)).ok());
  const auto got = cluster[to].receive({from}, 1, in(20s));
  ASSERT_TRUE(got.ok()) << got.status().message;
  EXPECT_TRUE(textOf(*got) == std::string(bytes, 42)) << bytes;
}

class ShmPair : public ::testing::Test {
protected:
  void SetUp() override { cluster.connect(); }
  LinkCluster cluster{TransportKind::Shm, Topology::Mesh, 2, patient()};
};

TEST_F(ShmPair, PayloadInMemoryOfTheLinkArrives) {
  for (const std::size_t bytes : {0, 10, 5000, 1 << 20, 30 << 20})
    expectArrives(cluster, 0, 1, bytes);
}

TEST_F(ShmPair, SenderThatFillsTheRingContinuesWhenTheReceiverReads) {
  constexpr int kMessages = 200;
  std::thread sender([&] {
    for (int i = 0; i < kMessages; ++i) {
      Payload payload = cluster[0].payloadTo({1}, 1 << 20);
      std::memset(payload.data(), i, payload.size());
      ASSERT_TRUE(cluster[0].send({1}, 0, std::move(payload)).ok());
    }
  });
  for (int i = 0; i < kMessages; ++i) {
    const auto got = cluster[1].receive({0}, 0, in(20s));
    ASSERT_TRUE(got.ok()) << got.status().message;
    ASSERT_EQ(got->data()[77], static_cast<std::byte>(i));
  }
  sender.join();
}

TEST_F(ShmPair, CountersShowTheTrafficOfTheRing) {
  expectArrives(cluster, 0, 1, 5);
  expectArrives(cluster, 0, 1, 10'000);
  const LinkCounters sent = cluster[0].counters()[0], received = cluster[1].counters()[0];
  EXPECT_EQ(sent.packetsSent, 2U);
  EXPECT_EQ(sent.bytesSent, 10'005U);
  EXPECT_EQ(sent.queued, 0U);
  EXPECT_EQ(received.packetsReceived, 2U);
  EXPECT_EQ(received.bytesReceived, 10'005U);
}

/// Two nodes, the second of which has room for one packet of 1,000 bytes before its program
/// receives.
class ShmInbox : public ::testing::Test {
protected:
  static constexpr std::uint32_t kPackets = 2 * ring::kSlots;
  static LinkOptions small() {
    LinkOptions options;
    options.inboxBytes = 1000;
    options.deadline = 300ms;
    return options;
  }
  /// Sends until packet \p end, as long as there is room.
  void send(std::uint32_t end) {
    for (std::uint32_t i = 0; i < end; ++i, ++sent)
      if (!cluster[0].send({1}, i, Payload(1000)).ok())
        return;
  }
  void expectAll(std::uint32_t end) {
    for (std::uint32_t i = 0; i < end; ++i) {
      const auto got = cluster[1].receive({0}, i, in(20s));
      ASSERT_TRUE(got.ok()) << i << ": " << got.status().message;
    }
  }
  void SetUp() override { cluster.connect(); }
  LinkCluster cluster{TransportKind::Shm, Topology::Mesh, 2, small()};
  std::atomic<std::uint32_t> sent{0};
};

TEST_F(ShmInbox, PacketsThatHaveNoRoomWaitInTheRing) {
  cluster[0].watch(true); // a neighbour that is only slow is no failure
  std::jthread sender([&] { send(kPackets); });
  std::this_thread::sleep_for(3 * small().deadline);
  // One packet is in the inbox and one has been refused; the ring holds the others. Packets of
  // 1,000 bytes have blocks, of which there are enough.
  EXPECT_LE(sent, ring::kSlots + 2U);
  EXPECT_GE(sent, ring::kSlots);
  EXPECT_GT(cluster[0].counters()[0].queued, 0U);
  expectAll(kPackets);
}

TEST_F(ShmInbox, LastPacketsOfASenderArriveEvenWithoutRoom) {
  send(20);
  cluster.kill(0);
  std::this_thread::sleep_for(50ms);
  expectAll(20);
}

TEST_F(ShmInbox, PacketsWithoutRoomAreDroppedWithTheirEpoch) {
  send(20);
  std::this_thread::sleep_for(20ms);
  cluster[0].reset(1);
  cluster[1].reset(1);
  ASSERT_TRUE(cluster[0].send({1}, 77, payloadOf("fresh")).ok());
  const auto got = cluster[1].receive({0}, 77, in(20s));
  ASSERT_TRUE(got.ok()) << got.status().message;
  EXPECT_EQ(textOf(*got), "fresh");
}

/// The number of packets is more than a ring holds.
TEST_F(ShmPair, ManyPacketsOfASenderThatIsResetFirstArrive) {
  constexpr std::uint32_t kPackets = 2000;
  cluster[0].reset(1);
  std::jthread sender([&] {
    for (std::uint32_t i = 0; i < kPackets; ++i)
      ASSERT_TRUE(cluster[0].send({1}, i, payloadOf("early")).ok());
  });
  std::this_thread::sleep_for(20ms);
  cluster[1].reset(1);
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    const auto got = cluster[1].receive({0}, i, in(20s));
    ASSERT_TRUE(got.ok()) << i << ": " << got.status().message;
  }
}

/// Their sender wakes the node no more.
TEST_F(ShmPair, PacketsThatWaitForTheirEpochArriveWhenItBegins) {
  constexpr std::uint32_t kPackets = 200;
  cluster[0].reset(1);
  for (std::uint32_t i = 0; i < kPackets; ++i)
    ASSERT_TRUE(cluster[0].send({1}, i, payloadOf("early")).ok());
  std::this_thread::sleep_for(20ms);
  cluster[1].reset(1);
  const auto taken = [&] { return cluster[1].counters()[0].packetsReceived; };
  for (const auto deadline = in(5s); taken() < kPackets && LinkNode::Clock::now() < deadline;)
    std::this_thread::yield();
  EXPECT_EQ(taken(), kPackets);
}

TEST_F(ShmPair, PacketOfAnotherExchangeIsNotSkipped) {
  expectArrives(cluster, 0, 1, 10); // so that what comes next waits in the ring
  ASSERT_TRUE(cluster[0].send({1}, 5, payloadOf("five")).ok());
  ASSERT_TRUE(cluster[0].send({1}, 6, payloadOf("six")).ok());
  EXPECT_EQ(cluster[1].receive({0}, 6, in(20s)).status().code, Code::Internal);
}

TEST(ShmLinks, SenderToANeighbourThatReadsNothingFailsAfterTheDeadline) {
  copse::test::TemporaryFolder folder;
  zmq::context_t context;
  LinkOptions options;
  options.deadline = 300ms;
  auto node = LinkNode::bind(linkTransports(context), Endpoint::shm(folder.path() / "a"), options);
  const auto nobody = Endpoint::shm(folder.path() / "b");
  ASSERT_TRUE((*node)->connect({Topology::Mesh, 2, {0}, {{wire::IpuId{1}, nobody}}, 0}).ok());
  wire::Status status;
  for (int i = 0; status.ok() && i < 10 * ring::kSlots; ++i)
    status = (*node)->send({1}, 0, payloadOf("anybody there?"));
  EXPECT_EQ(status.code, Code::Disconnected);
  EXPECT_THAT(status.message, HasSubstr("between ipu 0 and ipu 1 is down"));
}

TEST_F(ShmPair, ReceiverThatReadsNothingForLongGetsEverythingLater) {
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(cluster[0].send({1}, 0, payloadOf(std::string(100'000, 'x'))).ok());
  std::this_thread::sleep_for(20ms);
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(cluster[1].receive({0}, 0, in(20s)).ok());
}

TEST_F(ShmPair, NeighbourThatEndsIsDisconnectedAtOnce) {
  cluster[0].watch(true);
  std::thread killer([&] {
    std::this_thread::sleep_for(10ms);
    cluster.kill(1);
  });
  const auto got = cluster[0].receive({1}, 0, in(20s));
  killer.join();
  EXPECT_EQ(got.status().code, Code::Disconnected);
  EXPECT_THAT(got.status().message, HasSubstr("closed the connection"));
}

TEST_F(ShmPair, NeighbourMayEndAfterTheProgram) {
  ASSERT_TRUE(cluster[0].send({1}, 0, payloadOf("last")).ok());
  ASSERT_TRUE(cluster[1].receive({0}, 0, in(20s)).ok()); // not acknowledged yet
  cluster.kill(1);
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(cluster[0].receive({1}, 0, in(0s)).status().code, Code::Timeout);
}

TEST_F(ShmPair, SocketLeavesNoFile) {
  const std::string path = cluster.endpoint(1).place();
  EXPECT_TRUE(std::filesystem::exists(path));
  cluster.kill(1);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ShmPair, PacketOfASenderThatIsResetFirstArrives) {
  cluster[0].reset(1);
  ASSERT_TRUE(cluster[0].send({1}, 0, payloadOf("early")).ok());
  EXPECT_EQ(cluster[1].receive({0}, 0, in(50ms)).status().code, Code::Timeout);
  cluster[1].reset(1);
  const auto got = cluster[1].receive({0}, 0, in(20s));
  ASSERT_TRUE(got.ok()) << got.status().message;
  EXPECT_EQ(textOf(*got), "early");
}

TEST_F(ShmPair, LastPacketsOfASenderThatIsResetFirstArrive) {
  constexpr std::uint32_t kPackets = 200;
  cluster[0].reset(1);
  for (std::uint32_t i = 0; i < kPackets; ++i)
    ASSERT_TRUE(cluster[0].send({1}, i, payloadOf("early")).ok());
  cluster.kill(0);
  std::this_thread::sleep_for(20ms);
  cluster[1].reset(1);
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    const auto got = cluster[1].receive({0}, i, in(20s));
    ASSERT_TRUE(got.ok()) << i << ": " << got.status().message;
  }
}

TEST_F(ShmPair, PacketsOfAPastEpochAreDropped) {
  cluster[1].reset(1);
  ASSERT_TRUE(cluster[0].send({1}, 0, payloadOf("stale")).ok());
  EXPECT_EQ(cluster[1].receive({0}, 0, in(50ms)).status().code, Code::Timeout);
  EXPECT_EQ(cluster[1].counters()[0].refused, 1U);
  cluster[0].reset(1);
  ASSERT_TRUE(cluster[0].send({1}, 1, payloadOf("fresh")).ok());
  EXPECT_EQ(textOf(*cluster[1].receive({0}, 1, in(20s))), "fresh");
}

/// Six nodes, of which 1 and 4 are not neighbours: over a network, packets go 1 > 0 > 2 > 4.
class DirectChannel : public ::testing::Test {
protected:
  void SetUp() override {
    cluster.connect();
    open();
  }
  void open() {
    EXPECT_TRUE(cluster[1].openDirectChannels({{4}}).ok());
    EXPECT_TRUE(cluster[4].openDirectChannels({{1}}).ok());
  }
  LinkCounters counters(std::uint32_t self, std::uint32_t neighbour) {
    const auto all = cluster[self].counters();
    const auto found = std::ranges::find(all, wire::IpuId{neighbour}, &LinkCounters::neighbour);
    EXPECT_NE(found, all.end());
    return *found;
  }
  LinkCluster cluster{TransportKind::Shm, Topology::Mesh, 6, patient()};
};

TEST_F(DirectChannel, CarriesPacketsThatWouldBeForwarded) {
  for (const std::size_t bytes : {10, 5000, 1 << 20, 30 << 20}) {
    expectArrives(cluster, 1, 4, bytes);
    expectArrives(cluster, 4, 1, bytes);
  }
  EXPECT_EQ(counters(0, 1).packetsReceived, 0U);
  EXPECT_EQ(counters(2, 0).packetsReceived, 0U);
}

TEST_F(DirectChannel, CountsForTheFirstAndLastLinkOfItsRoute) {
  expectArrives(cluster, 1, 4, 10);
  EXPECT_EQ(counters(1, 0).packetsSent, 1U);
  EXPECT_EQ(counters(1, 0).bytesSent, 10U);
  EXPECT_EQ(counters(4, 2).packetsReceived, 1U);
  EXPECT_EQ(counters(4, 2).bytesReceived, 10U);
  EXPECT_EQ(cluster[1].counters().size(), 2U) << "those of the links to 0 and 3";
}

TEST_F(DirectChannel, ContinuesInTheNextEpoch) {
  expectArrives(cluster, 1, 4, 10);
  for (std::uint32_t ipu = 0; ipu < 6; ++ipu)
    cluster[ipu].reset(1);
  expectArrives(cluster, 1, 4, 10);
  EXPECT_EQ(counters(0, 1).packetsReceived, 0U);
}

TEST_F(DirectChannel, IsOpenedByItsFirstPacket) {
  cluster.connect(); // ends it
  expectArrives(cluster, 1, 4, 10);
  expectArrives(cluster, 4, 1, 5000);
  EXPECT_EQ(counters(1, 0).packetsSent, 1U);
  EXPECT_EQ(counters(2, 0).packetsReceived, 0U);
}

TEST_F(DirectChannel, OpensOnceAndNeverToNeighbours) {
  open();
  EXPECT_TRUE(cluster[1].openDirectChannels({{1}, {0}, {3}, {77}}).ok());
  expectArrives(cluster, 1, 4, 10);
  expectArrives(cluster, 1, 0, 10);
}

TEST_F(DirectChannel, IsDisconnectedAtOnceWhenItsOtherEndEnds) {
  cluster[1].watch(true);
  std::thread killer([&] {
    std::this_thread::sleep_for(10ms);
    cluster.kill(4);
  });
  const auto got = cluster[1].receive({4}, 0, in(20s));
  killer.join();
  EXPECT_EQ(got.status().code, Code::Disconnected);
  EXPECT_THAT(got.status().message, HasSubstr("closed the connection"));
}

TEST(DirectChannels, AreNotOpenedOverOtherTransports) {
  LinkCluster cluster(TransportKind::Ipc, Topology::Mesh, 6);
  cluster.connect();
  ASSERT_TRUE(cluster[1].openDirectChannels({{4}}).ok());
  ASSERT_TRUE(cluster[4].openDirectChannels({{1}}).ok());
  ASSERT_TRUE(cluster[1].send({4}, 1, payloadOf("far")).ok());
  EXPECT_EQ(textOf(*cluster[4].receive({1}, 1, in(20s))), "far");
  EXPECT_EQ(cluster[0].counters()[0].forwarded, 1U);
}

TEST(ShmLinks, PacketOfASenderThatJoinsFirstArrives) {
  copse::test::TemporaryFolder folder;
  zmq::context_t context;
  const std::map<wire::IpuId, Endpoint> endpoints{{{0}, Endpoint::shm(folder.path() / "a")},
                                                  {{1}, Endpoint::shm(folder.path() / "b")}};
  auto first = LinkNode::bind(linkTransports(context), endpoints.at({0}), patient());
  auto second = LinkNode::bind(linkTransports(context), endpoints.at({1}), patient());
  ASSERT_TRUE((*first)->connect({Topology::Mesh, 2, {0}, endpoints, 0}).ok());
  ASSERT_TRUE((*first)->send({1}, 0, payloadOf("early")).ok());
  std::this_thread::sleep_for(20ms);
  ASSERT_TRUE((*second)->connect({Topology::Mesh, 2, {1}, endpoints, 0}).ok());
  const auto got = (*second)->receive({0}, 0, in(20s));
  ASSERT_TRUE(got.ok()) << got.status().message;
  EXPECT_EQ(textOf(*got), "early");
  EXPECT_EQ((*second)->malformed(), 0U);
}

template <class T> T valueOf(wire::Result<T> result) {
  EXPECT_TRUE(result.ok()) << result.status().message;
  return std::move(*result);
}

/// A process that joins as IPU 0 and misbehaves.
class BadNeighbour {
public:
  explicit BadNeighbour(const Endpoint &to)
      : socket(local::connect(to.place())), memory(valueOf(ring::makeMemory())),
        doorbell(valueOf(Doorbell::create())) {
    EXPECT_TRUE(ring::sendHello(socket.number(), {&memory}, doorbell));
  }
  ring::Control &control() { return *reinterpret_cast<ring::Control *>(memory.data()); }
  /// Returns the doorbell of the other end.
  std::shared_ptr<Doorbell> welcome() {
    for (const auto deadline = LinkNode::Clock::now() + 5s; LinkNode::Clock::now() < deadline;) {
      local::Message message;
      if (local::receive(socket.number(), message) == local::Received::Message)
        return valueOf(ring::readWelcome(std::move(message)));
      std::this_thread::yield();
    }
    return nullptr;
  }
  /// Returns true if the other end closes the connection in time.
  bool isClosed() {
    for (const auto deadline = LinkNode::Clock::now() + 5s; LinkNode::Clock::now() < deadline;
         std::this_thread::yield()) {
      local::Message message;
      if (local::receive(socket.number(), message) == local::Received::Ended)
        return true;
    }
    return false;
  }

  /// Puts in a message of one small frame.
  void put(const auto &frame) {
    ring::Slot &slot = control().slots[control().counts.written];
    slot.head = {};
    slot.head.count = 1;
    slot.head.parts[0].bytes = sizeof frame;
    std::memcpy(slot.inlined.data(), &frame, sizeof frame);
    ++control().counts.written;
  }

  Descriptor socket;
  SharedMemory memory;
  Doorbell doorbell;
};

TEST_F(ShmPair, CorruptRingEndsItsConnectionAndNoOther) {
  BadNeighbour neighbour(cluster.endpoint(1));
  const auto doorbell = neighbour.welcome();
  ASSERT_NE(doorbell, nullptr);
  neighbour.control().counts.written = 12345;
  doorbell->wake();
  EXPECT_TRUE(neighbour.isClosed());
  EXPECT_EQ(cluster[1].malformed(), 1U);
  ASSERT_TRUE(cluster[0].send({1}, 0, payloadOf("still here")).ok());
  EXPECT_EQ(textOf(*cluster[1].receive({0}, 0, in(20s))), "still here");
}

TEST_F(ShmPair, InvalidHelloEndsItsConnection) {
  const Descriptor stranger = local::connect(cluster.endpoint(1).place());
  const std::string text = "let me in";
  ASSERT_TRUE(local::send(stranger.number(), std::as_bytes(std::span(text)), {}));
  local::Message message;
  for (const auto deadline = in(5s); LinkNode::Clock::now() < deadline;)
    if (local::receive(stranger.number(), message) == local::Received::Ended)
      break;
  EXPECT_EQ(local::receive(stranger.number(), message), local::Received::Ended);
  EXPECT_EQ(cluster[1].malformed(), 1U);
}

TEST_F(ShmPair, InvalidMessagesAreDropped) {
  BadNeighbour neighbour(cluster.endpoint(1));
  const auto doorbell = neighbour.welcome();
  ASSERT_NE(doorbell, nullptr);
  neighbour.put(std::array<char, 100>{});
  doorbell->wake();
  for (const auto deadline = in(5s);
       cluster[1].malformed() == 0 && LinkNode::Clock::now() < deadline;)
    std::this_thread::yield();
  EXPECT_EQ(cluster[1].malformed(), 1U);
}

TEST_F(ShmPair, PacketsForOrFromOtherIpusAreDropped) {
  BadNeighbour neighbour(cluster.endpoint(1));
  const auto doorbell = neighbour.welcome();
  ASSERT_NE(doorbell, nullptr);
  const std::array<std::array<std::uint32_t, 2>, 4> strange{{{0, 0}, {1, 1}, {2, 1}, {99, 99}}};
  for (const auto &[from, to] : strange)
    neighbour.put(wire::ringHeader(0, from, to, 5));
  neighbour.put(wire::ringHeader(0, 0, 1, 6));
  doorbell->wake();
  EXPECT_TRUE(cluster[1].receive({0}, 6, in(20s)).ok());
  EXPECT_EQ(cluster[1].malformed(), strange.size());
}

// As a rule the neighbour has left before the node reads its hello.
TEST_F(ShmPair, PacketOfANeighbourThatEndsAtOnceArrives) {
  for (std::uint32_t round = 0; round < 50; ++round) {
    BadNeighbour(cluster.endpoint(1)).put(wire::ringHeader(0, 0, 1, round));
    const auto got = cluster[1].receive({0}, round, in(5s));
    ASSERT_TRUE(got.ok()) << got.status().message;
  }
}

/// A node that accepts the ring of a neighbour, and no message.
class BadListener {
public:
  explicit BadListener(const Endpoint &own) : listener(local::listen(own.place())) {}
  ring::Control &takeRing() {
    Descriptor socket;
    while (!(socket = local::accept(listener.number())))
      std::this_thread::yield();
    local::Message message;
    while (local::receive(socket.number(), message) != local::Received::Message)
      std::this_thread::yield();
    hello = valueOf(ring::readHello(std::move(message), 1));
    connections.push_back(std::move(socket));
    return *reinterpret_cast<ring::Control *>(hello.rings.front().data());
  }

  void welcome() { ASSERT_TRUE(ring::sendWelcome(connections.back().number(), doorbell)); }

  Descriptor listener;
  Doorbell doorbell = valueOf(Doorbell::create());
  std::vector<Descriptor> connections;
  ring::Hello hello;
};

TEST(ShmLinks, NeighbourThatReturnsImpossibleBlocksIsDisconnected) {
  copse::test::TemporaryFolder folder;
  zmq::context_t context;
  const auto here = Endpoint::shm(folder.path() / "a"), there = Endpoint::shm(folder.path() / "b");
  BadListener neighbour(there);
  auto node = LinkNode::bind(linkTransports(context), here, patient());
  ASSERT_TRUE((*node)->connect({Topology::Mesh, 2, {0}, {{wire::IpuId{1}, there}}, 0}).ok());
  neighbour.takeRing().counts.read = 12345;
  wire::Status status;
  for (int i = 0; status.ok() && i < 10 * ring::kSlots; ++i)
    status = (*node)->send({1}, 0, payloadOf("text"));
  EXPECT_EQ(status.code, Code::Disconnected);
  EXPECT_THAT(status.message, HasSubstr("corrupt"));
}

TEST(ShmLinks, NeighbourWithoutHeartbeatIsDisconnectedAfterTheDeadline) {
  copse::test::TemporaryFolder folder;
  zmq::context_t context;
  const auto here = Endpoint::shm(folder.path() / "a"), there = Endpoint::shm(folder.path() / "b");
  BadListener neighbour(there);
  LinkOptions options;
  options.deadline = 300ms;
  auto node = LinkNode::bind(linkTransports(context), here, options);
  ASSERT_TRUE((*node)->connect({Topology::Mesh, 2, {0}, {{wire::IpuId{1}, there}}, 0}).ok());
  neighbour.takeRing();
  neighbour.welcome();
  (*node)->watch(true);
  const auto got = (*node)->receive({1}, 0, in(20s));
  EXPECT_EQ(got.status().code, Code::Disconnected);
  EXPECT_THAT(got.status().message, HasSubstr("ipu 1 has said nothing for 300 ms"));
}

TEST(ShmLinks, NeighbourWithASlowHeartbeatIsWoken) {
  copse::test::TemporaryFolder folder;
  zmq::context_t context;
  const std::map<wire::IpuId, Endpoint> endpoints{{{0}, Endpoint::shm(folder.path() / "a")},
                                                  {{1}, Endpoint::shm(folder.path() / "b")}};
  LinkOptions quick;
  quick.deadline = 300ms;
  auto first = LinkNode::bind(linkTransports(context), endpoints.at({0}), quick);
  auto second = LinkNode::bind(linkTransports(context), endpoints.at({1}), patient());
  ASSERT_TRUE((*first)->connect({Topology::Mesh, 2, {0}, endpoints, 0}).ok());
  ASSERT_TRUE((*second)->connect({Topology::Mesh, 2, {1}, endpoints, 0}).ok());
  (*first)->watch(true);
  EXPECT_EQ((*first)->receive({1}, 0, in(4 * quick.deadline)).status().code, Code::Timeout);
}

/// A process that sends over a link until it is killed, at any byte.
class DyingSender {
public:
  DyingSender(const Endpoint &own, const Endpoint &other) : pid_(::fork()) {
    if (pid_ == 0) {
      run(own, other);
      ::_exit(0);
    }
  }
  ~DyingSender() {
    if (pid_ > 0)
      kill();
  }
  DyingSender(const DyingSender &) = delete;
  DyingSender &operator=(const DyingSender &) = delete;
  void kill() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

private:
  static void run(const Endpoint &own, const Endpoint &other) {
    zmq::context_t context;
    auto node = LinkNode::bind(linkTransports(context), own);
    (void)(*node)->connect({Topology::Mesh, 2, {1}, {{wire::IpuId{0}, other}}, 0});
    (void)(*node)->receive({0}, 0, in(20s));
    for (std::uint32_t i = 0;; ++i) {
      Payload payload = (*node)->payloadTo({0}, 1 + i * 7919 % 200'000);
      std::memset(payload.data(), 5, payload.size());
      (void)(*node)->send({0}, 0, std::move(payload));
    }
  }
  pid_t pid_;
};

TEST(ShmLinks, SenderThatIsKilledAtAnyMomentLeavesNoReceiverStuck) {
  copse::test::TemporaryFolder folder;
  zmq::context_t context;
  for (int round = 0; round < 20; ++round) {
    const auto name = std::to_string(round);
    const auto here = Endpoint::shm(folder.path() / (name + "a")),
               there = Endpoint::shm(folder.path() / (name + "b"));
    DyingSender sender(there, here);
    auto node = LinkNode::bind(linkTransports(context), here, patient());
    ASSERT_TRUE(node.ok()) << node.status().message;
    (*node)->watch(true);
    ASSERT_TRUE((*node)->connect({Topology::Mesh, 2, {0}, {{wire::IpuId{1}, there}}, 0}).ok());
    // The sender that receives this packet has opened its ring, too, whose socket reports its end.
    ASSERT_TRUE((*node)->send({1}, 0, payloadOf("begin")).ok());
    auto got = (*node)->receive({1}, 0, in(20s));
    ASSERT_TRUE(got.ok()) << got.status().message;
    std::thread killer([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(1777 * round));
      sender.kill();
    });
    for (; got.ok(); got = (*node)->receive({1}, 0, in(20s)))
      ASSERT_EQ(got->data()[got->size() / 2], std::byte{5});
    killer.join();
    EXPECT_EQ(got.status().code, Code::Disconnected) << got.status().message;
  }
}

} // namespace
} // namespace copse::fabric
