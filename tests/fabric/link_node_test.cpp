#include "link_cluster.hpp"

#include "fabric/link_node.hpp"
#include "wire/envelope.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

namespace copse::fabric {
namespace {

using namespace test;
using ::testing::AllOf;
using ::testing::HasSubstr;
using wire::Code;
using wire::Topology;

// Every IPU sends `rounds` payloads to every other and checks what comes, each IPU on a thread of
// its own.
void exchangeAll(LinkCluster &cluster, std::uint32_t ipus, std::uint32_t rounds,
                 std::size_t largest) {
  const auto text = [&](std::uint32_t from, std::uint32_t to, std::uint32_t round) {
    const std::string stamp =
        std::to_string(from) + ">" + std::to_string(to) + "#" + std::to_string(round);
    const std::size_t size = (from * 7919 + to * 104'729 + round * 1'299'709) % (largest + 1);
    std::string whole;
    while (whole.size() < size)
      whole += stamp;
    whole.resize(size);
    return whole;
  };
  std::vector<std::thread> programs;
  for (std::uint32_t self = 0; self < ipus; ++self)
    programs.emplace_back([&, self] {
      for (std::uint32_t round = 0; round < rounds; ++round)
        for (std::uint32_t to = 0; to < ipus; ++to)
          if (to != self) {
            const auto status = cluster[self].send({to}, round, payloadOf(text(self, to, round)));
            ASSERT_TRUE(status.ok()) << status.message;
          }
      for (std::uint32_t round = 0; round < rounds; ++round)
        for (std::uint32_t from = 0; from < ipus; ++from)
          if (from != self) {
            const auto got = cluster[self].receive({from}, round, in(20s));
            ASSERT_TRUE(got.ok()) << got.status().message;
            ASSERT_EQ(textOf(*got), text(from, self, round));
          }
    });
  for (auto &program : programs)
    program.join();
}

struct ClusterCase {
  const char *name;
  TransportKind kind;
  Topology topology;
  std::uint32_t ipus;
};
class EveryTransport : public ::testing::TestWithParam<ClusterCase> {};
INSTANTIATE_TEST_SUITE_P(
    Links, EveryTransport,
    ::testing::Values(ClusterCase{"InprocPair", TransportKind::Inproc, Topology::Mesh, 2},
                      ClusterCase{"InprocMesh8", TransportKind::Inproc, Topology::Mesh, 8},
                      ClusterCase{"IpcMesh4", TransportKind::Ipc, Topology::Mesh, 4},
                      ClusterCase{"IpcTorus8", TransportKind::Ipc, Topology::Torus, 8},
                      ClusterCase{"ShmPair", TransportKind::Shm, Topology::Mesh, 2},
                      ClusterCase{"ShmTorus8", TransportKind::Shm, Topology::Torus, 8},
                      ClusterCase{"TcpPair", TransportKind::Tcp, Topology::Torus, 2},
                      ClusterCase{"TcpTorus6", TransportKind::Tcp, Topology::Torus, 6}),
    [](const auto &p) { return p.param.name; });

TEST_P(EveryTransport, CarriesPacketsOfAllPairsInOrder) {
  const ClusterCase &c = GetParam();
  LinkOptions options;
  options.deadline = 30s; // a slow machine is not a broken link
  LinkCluster cluster(c.kind, c.topology, c.ipus, options);
  cluster.connect();
  exchangeAll(cluster, c.ipus, 10, 20'000);
}

TEST(LinkNode, TinyWindowsOnALoadedTorusDoNotDeadlock) {
  LinkOptions options;
  options.windowPackets = 1;
  options.windowBytes = 1000;
  options.inboxBytes = 1;
  LinkCluster cluster(TransportKind::Inproc, Topology::Torus, 8, options);
  cluster.connect();
  exchangeAll(cluster, 8, 20, 3000);
}

class Pair : public ::testing::Test {
protected:
  static LinkOptions quick() {
    LinkOptions options;
    options.deadline = 300ms;
    options.probeInterval = 20ms;
    return options;
  }
  void SetUp() override { cluster.connect(); }

  std::string nextText(std::uint32_t self, std::uint32_t from, std::uint32_t tag) {
    auto got = cluster[self].receive({from}, tag, in(5s));
    return got.ok() ? textOf(*got) : "<" + got.status().message + ">";
  }
  void expectSent(std::uint32_t self, std::uint32_t to, std::uint32_t tag,
                  const std::string &text) {
    const wire::Status status = cluster[self].send({to}, tag, payloadOf(text));
    EXPECT_TRUE(status.ok()) << status.message;
  }
  zmq::socket_t stranger(std::uint32_t to) {
    zmq::socket_t socket(cluster.context(), zmq::socket_type::push);
    socket.set(zmq::sockopt::linger, 0);
    socket.connect(cluster.endpoint(to).text());
    return socket;
  }
  template <class Until> bool eventually(Until &&until) {
    for (const auto deadline = in(5s); !until(); std::this_thread::yield())
      if (LinkNode::Clock::now() > deadline)
        return false;
    return true;
  }

  LinkCluster cluster{TransportKind::Tcp, Topology::Mesh, 2, quick()};
};

TEST_F(Pair, EmptyPayloadArrives) {
  expectSent(0, 1, 5, "");
  EXPECT_EQ(nextText(1, 0, 5), "");
}

TEST_F(Pair, PayloadLargerThanTheWindowArrives) {
  const std::string large(3 * (16 << 20), 'x');
  expectSent(0, 1, 1, large);
  expectSent(0, 1, 2, "after it");
  EXPECT_TRUE(nextText(1, 0, 1) == large);
  EXPECT_EQ(nextText(1, 0, 2), "after it");
}

TEST_F(Pair, AnotherTagMeansThatTheControlProgramsDiverged) {
  expectSent(0, 1, 5, "five");
  const auto got = cluster[1].receive({0}, 6, in(5s));
  EXPECT_EQ(got.status().code, Code::Internal);
  EXPECT_THAT(got.status().message, AllOf(HasSubstr("diverged"), HasSubstr("ipu 0"),
                                          HasSubstr("exchange 5"), HasSubstr("exchange 6")));
}

TEST_F(Pair, NoPacketUntilTheDeadlineIsATimeoutThatNamesTheSource) {
  const auto got = cluster[1].receive({0}, 6, in(20ms));
  EXPECT_EQ(got.status().code, Code::Timeout);
  EXPECT_THAT(got.status().message, HasSubstr("ipu 0"));
}

TEST_F(Pair, UnknownIpuIsNotFound) {
  EXPECT_EQ(cluster[0].send({2}, 0, payloadOf("x")).code, Code::NotFound);
  EXPECT_EQ(cluster[0].send({0}, 0, payloadOf("x")).code, Code::NotFound);
  EXPECT_EQ(cluster[0].receive({7}, 0, in(1s)).status().code, Code::NotFound);
}

TEST_F(Pair, StopReleasesWaitingCalls) {
  auto waiter =
      std::async(std::launch::async, [&] { return cluster[1].receive({0}, 0, in(20s)).status(); });
  cluster[1].stop({Code::Cancelled, "the host said so"});
  const wire::Status status = waiter.get();
  EXPECT_EQ(status.code, Code::Cancelled);
  EXPECT_EQ(status.message, "the host said so");
  EXPECT_EQ(cluster[1].send({0}, 0, payloadOf("x")).code, Code::Cancelled);
}

TEST_F(Pair, SilentNeighbourIsDisconnectedAndBothEndsAreNamed) {
  cluster.kill(1);
  expectSent(0, 1, 0, "anybody there?");
  const auto got = cluster[0].receive({1}, 0, in(20s));
  EXPECT_EQ(got.status().code, Code::Disconnected);
  EXPECT_THAT(got.status().message, AllOf(HasSubstr("ipu 0"), HasSubstr("ipu 1")));
}

TEST_F(Pair, IdleLinkStaysUpAfterItsDeadline) {
  expectSent(0, 1, 0, "once");
  EXPECT_EQ(nextText(1, 0, 0), "once");
  EXPECT_EQ(cluster[0].receive({1}, 0, in(600ms)).status().code, Code::Timeout);
}

TEST_F(Pair, ResetForgetsPacketsAndFailure) {
  expectSent(0, 1, 0, "stale");
  cluster[0].stop({Code::Cancelled, "failed"});
  ASSERT_TRUE(eventually([&] { return cluster[1].counters()[0].packetsReceived == 1; }));
  cluster[0].reset(1);
  cluster[1].reset(1);
  expectSent(0, 1, 7, "fresh");
  EXPECT_EQ(nextText(1, 0, 7), "fresh");
}

TEST_F(Pair, PacketsOfAnotherEpochAreDroppedUntilTheSenderIsResetToo) {
  cluster[1].reset(1);
  expectSent(0, 1, 0, "stale");
  ASSERT_TRUE(eventually([&] { return cluster[1].counters()[0].refused > 0; }));
  EXPECT_EQ(cluster[1].receive({0}, 0, in(10ms)).status().code, Code::Timeout);
  cluster[0].reset(1);
  expectSent(0, 1, 1, "fresh");
  EXPECT_EQ(nextText(1, 0, 1), "fresh");
}

TEST_F(Pair, MalformedMessagesAreCountedAndDropped) {
  auto socket = stranger(1);
  socket.send(zmq::str_buffer("this is no header"));
  socket.send(zmq::message_t(), zmq::send_flags::none);
  wire::Envelope envelope;
  envelope.from = {0};
  envelope.to = {1};
  envelope.payloadBytes = 5;
  envelope.body = wire::Packet{{0}, {1}, 9, 0};
  const auto header = wire::encode(envelope);
  const auto sendHeader = [&](zmq::send_flags flags) {
    socket.send(zmq::buffer(header.data(), header.size()), flags);
  };
  sendHeader(zmq::send_flags::none); // without the payload it announces
  sendHeader(zmq::send_flags::sndmore);
  socket.send(zmq::str_buffer("more than five bytes"));
  ASSERT_TRUE(eventually([&] { return cluster[1].malformed() == 4; }));
  expectSent(0, 1, 3, "sound");
  EXPECT_EQ(nextText(1, 0, 3), "sound");
}

TEST_F(Pair, NeighbourOfAnotherVersionIsNotifiedAndFails) {
  auto socket = stranger(0);
  wire::Envelope envelope;
  envelope.version = wire::kProtocolVersion + 1;
  envelope.from = {1};
  envelope.to = {0};
  const auto header = wire::encode(envelope);
  socket.send(zmq::buffer(header.data(), header.size()));
  const auto got = cluster[1].receive({0}, 0, in(5s));
  EXPECT_EQ(got.status().code, Code::InvalidOption);
  EXPECT_THAT(got.status().message, AllOf(HasSubstr("ipu 0"), HasSubstr("version")));
}

TEST_F(Pair, CountersShowTheTrafficOfTheLink) {
  for (std::uint32_t i = 0; i < 3; ++i) {
    expectSent(0, 1, i, "12345");
    EXPECT_EQ(nextText(1, 0, i), "12345");
  }
  const LinkCounters sent = cluster[0].counters()[0], received = cluster[1].counters()[0];
  EXPECT_EQ(sent.neighbour, wire::IpuId{1});
  EXPECT_EQ(sent.packetsSent, 3u);
  EXPECT_EQ(sent.bytesSent, 15u);
  EXPECT_EQ(received.packetsReceived, 3u);
  EXPECT_EQ(received.bytesReceived, 15u);
  EXPECT_EQ(received.forwarded, 0u);
}

/// Whether \p condition holds before long.
bool soon(const auto &condition) {
  for (const auto giveUp = in(20s); !condition(); std::this_thread::sleep_for(1ms))
    if (LinkNode::Clock::now() > giveUp)
      return false;
  return true;
}

TEST(LinkNode, SenderIsNeverAheadByMoreThanTheRoom) {
  constexpr unsigned kRoom = 10 + 4; // in the inbox, and in the link's window
  constexpr unsigned kPackets = 100;
  LinkOptions options;
  options.windowPackets = 4;
  options.inboxBytes = 1000;
  options.ackDelay = 1ms;
  LinkCluster cluster(TransportKind::Inproc, Topology::Mesh, 2, options);
  cluster.connect();
  std::atomic<unsigned> sent{0};
  std::jthread sender([&] {
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      const auto status = cluster[0].send({1}, i, Payload(100));
      ASSERT_TRUE(status.ok()) << status.message;
      ++sent;
    }
  });
  for (std::uint32_t taken = 0; taken < kPackets; ++taken) {
    const unsigned reached = std::min(taken + kRoom, kPackets);
    ASSERT_TRUE(soon([&] { return sent >= reached; })) << sent << " were sent of " << reached;
    ASSERT_EQ(sent, reached);
    const auto got = cluster[1].receive({0}, taken, in(5s));
    ASSERT_TRUE(got.ok()) << got.status().message;
  }
}

TEST(LinkNode, StopReleasesASenderThatWaitsForRoom) {
  LinkOptions options;
  options.windowPackets = 1;
  options.inboxBytes = 1;
  LinkCluster cluster(TransportKind::Inproc, Topology::Mesh, 2, options);
  cluster.connect();
  std::atomic<unsigned> sent{0};
  auto sender = std::async(std::launch::async, [&] {
    for (;; ++sent)
      if (auto status = cluster[0].send({1}, 0, Payload(10)); !status.ok())
        return status;
  });
  ASSERT_TRUE(soon([&] { return sent == 2; })) << "one in the inbox, one in the link's window";
  cluster[0].stop({Code::Cancelled, "enough"});
  EXPECT_EQ(sender.get().message, "enough");
}

TEST(LinkNode, ForwardsPacketsOfOtherIpus) {
  LinkCluster cluster(TransportKind::Inproc, Topology::Mesh, 6);
  cluster.connect();
  ASSERT_TRUE(cluster[0].send({5}, 1, payloadOf("far")).ok());
  const auto got = cluster[5].receive({0}, 1, in(5s));
  ASSERT_TRUE(got.ok()) << got.status().message;
  EXPECT_EQ(textOf(*got), "far");
  EXPECT_EQ(cluster[3].counters()[0].forwarded, 1u); // 0 > 1 > 3 > 5; from its neighbour 1
}

TEST(LinkNode, ForwardsPacketsFromAnotherDomainBehindTheGateways) {
  LinkCluster cluster(TransportKind::Inproc, Topology::Mesh, 8, {}, 4);
  cluster.connect();
  ASSERT_TRUE(cluster[0].send({7}, 1, payloadOf("far")).ok());
  const auto got = cluster[7].receive({0}, 1, in(5s));
  ASSERT_TRUE(got.ok()) << got.status().message;
  EXPECT_EQ(textOf(*got), "far");
  const LinkCounters behind = cluster[4].counters()[0]; // 0 > 4 > 5 > 7
  EXPECT_EQ(behind.neighbour, wire::IpuId{0});
  EXPECT_EQ(behind.forwarded, 1u);
  EXPECT_EQ(cluster[2].counters()[0].forwarded, 0u) << "the ladder of the sender's domain";
}

TEST(LinkNode, CountsPacketsToAnotherDomainInMemoryForTheLinkThroughGateways) {
  LinkCluster cluster(TransportKind::Shm, Topology::Mesh, 8, {}, 4);
  cluster.connect();
  ASSERT_TRUE(cluster[0].send({7}, 1, payloadOf("far")).ok());
  const auto got = cluster[7].receive({0}, 1, in(5s));
  ASSERT_TRUE(got.ok()) << got.status().message;
  const LinkCounters first = cluster[0].counters()[2], last = cluster[7].counters()[1];
  EXPECT_EQ(first.neighbour, wire::IpuId{4});
  EXPECT_EQ(first.packetsSent, 1u);
  EXPECT_EQ(last.neighbour, wire::IpuId{5});
  EXPECT_EQ(last.packetsReceived, 1u);
}

// The node in between gets no second chance from a probe or another packet before the test ends.
TEST(LinkNode, PacketThatWaitedForRoomIsSentAtTheAcknowledgement) {
  LinkOptions options;
  options.windowPackets = 1;
  options.inboxBytes = 1;
  options.ackDelay = 1ms;
  options.deadline = 10min;
  options.probeInterval = 5min;
  LinkCluster cluster(TransportKind::Inproc, Topology::Mesh, 6, options);
  cluster.connect();
  constexpr std::uint32_t kPackets = 8;
  std::jthread sender([&] {
    for (std::uint32_t i = 0; i < kPackets; ++i)
      EXPECT_TRUE(cluster[0].send({4}, i, Payload(100)).ok());
  });
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    std::this_thread::sleep_for(20ms); // all nodes between are full by now
    const auto got = cluster[4].receive({0}, i, in(20s));
    EXPECT_TRUE(got.ok()) << got.status().message;
  }
  cluster[0].stop({Code::Cancelled, "the end"});
}

TEST(LinkNode, NeighbourThatStartsLateGetsEverything) {
  LinkCluster cluster(TransportKind::Tcp, Topology::Mesh, 2);
  const auto connect = [&](std::uint32_t self) {
    return cluster[self].connect(
        {Topology::Mesh, 2, {self}, {{{1 - self}, cluster.endpoint(1 - self)}}, 0});
  };
  ASSERT_TRUE(connect(0).ok());
  ASSERT_TRUE(cluster[0].send({1}, 0, payloadOf("early")).ok());
  ASSERT_TRUE(soon([&] { return cluster[1].malformed() > 0; }))
      << "a node that is not connected yet drops what arrives";
  ASSERT_TRUE(connect(1).ok());
  const auto got = cluster[1].receive({0}, 0, in(5s));
  ASSERT_TRUE(got.ok()) << got.status().message;
  EXPECT_EQ(textOf(*got), "early");
}

TEST(LinkNode, PlanWithoutANeighbourIsRefused) {
  LinkCluster cluster(TransportKind::Inproc, Topology::Mesh, 2);
  const wire::Status status =
      cluster[0].connect({Topology::Mesh, 4, {0}, {{{1}, cluster.endpoint(1)}}, 0});
  EXPECT_EQ(status.code, Code::InvalidOption);
  EXPECT_THAT(status.message, HasSubstr("ipu 2"));
  EXPECT_EQ(cluster[0].connect({Topology::Mesh, 3, {0}, {}, 0}).code, Code::InvalidOption);
}

TEST(LinkNode, AddressThatIsTakenIsRefused) {
  zmq::context_t context;
  const auto first = LinkNode::bind(linkTransports(context), Endpoint());
  ASSERT_TRUE(first.ok());
  const auto second = LinkNode::bind(linkTransports(context), (*first)->endpoint());
  EXPECT_EQ(second.status().code, Code::InvalidOption);
  EXPECT_THAT(second.status().message, HasSubstr((*first)->endpoint().text()));
}

TEST(LinkNode, FailureIsReportedToItsOwner) {
  zmq::context_t context;
  LinkOptions options;
  options.deadline = 50ms;
  std::promise<wire::Status> told;
  auto node = LinkNode::bind(linkTransports(context), Endpoint(), options,
                             [&](const wire::Status &status) { told.set_value(status); });
  ASSERT_TRUE(node.ok());
  ASSERT_TRUE(
      (*node)->connect({Topology::Mesh, 2, {0}, {{{1}, Endpoint::tcp("127.0.0.1", 1)}}, 0}).ok());
  ASSERT_TRUE((*node)->send({1}, 0, payloadOf("x")).ok());
  auto failure = told.get_future();
  ASSERT_EQ(failure.wait_for(5s), std::future_status::ready);
  EXPECT_EQ(failure.get().code, Code::Disconnected);
}

TEST(LinkNode, WatchedNeighbourThatEndedIsNamedWithoutPacketsInTransit) {
  LinkOptions options;
  options.deadline = 300ms;
  zmq::context_t context;
  std::promise<wire::Status> told;
  auto first = LinkNode::bind(linkTransports(context), Endpoint::inproc("0"), options,
                              [&](const wire::Status &why) { told.set_value(why); });
  auto second = LinkNode::bind(linkTransports(context), Endpoint::inproc("1"), options);
  ASSERT_TRUE(first.ok() && second.ok());
  const std::map<wire::IpuId, Endpoint> endpoints{{{0}, Endpoint::inproc("0")},
                                                  {{1}, Endpoint::inproc("1")}};
  ASSERT_TRUE((*first)->connect({Topology::Mesh, 2, {0}, endpoints, 0}).ok());
  ASSERT_TRUE((*second)->connect({Topology::Mesh, 2, {1}, endpoints, 0}).ok());
  auto why = told.get_future();
  (*first)->watch(true);
  second->reset();
  ASSERT_EQ(why.wait_for(10s), std::future_status::ready);
  EXPECT_THAT(why.get().message, AllOf(HasSubstr("between ipu 0 and ipu 1 is down"),
                                       HasSubstr("said nothing for 300 ms")));
}

TEST(LinkNode, EndsWhileLoaded) {
  LinkCluster cluster(TransportKind::Ipc, Topology::Torus, 6);
  cluster.connect();
  std::vector<std::thread> senders;
  std::array<std::atomic<unsigned>, 6> sent{};
  for (std::uint32_t self = 0; self < 6; ++self)
    senders.emplace_back([&, self] {
      while (cluster[self].send({(self + 3) % 6}, 0, Payload(10'000)).ok())
        ++sent[self];
    });
  EXPECT_TRUE(soon([&] {
    return std::all_of(sent.begin(), sent.end(), [](const auto &count) { return count > 100; });
  }));
  for (std::uint32_t self = 0; self < 6; ++self)
    cluster[self].stop({Code::Cancelled, "shutting down"});
  for (auto &sender : senders)
    sender.join();
} // and the nodes go with packets on every link

} // namespace
} // namespace copse::fabric
