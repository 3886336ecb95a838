#include "temporary_folder.hpp"

#include "fabric/transport.hpp"
#include "sync/barrier.hpp"
#include "wire/envelope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <latch>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace copse::sync {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using wire::Code;
using wire::Cycles;
using wire::IpuId;
using wire::SyncGroup;

constexpr Cycles kLatency{100};

std::vector<IpuId> firstIpus(std::uint32_t count) {
  std::vector<IpuId> all;
  for (std::uint32_t i = 0; i < count; ++i)
    all.push_back({i});
  return all;
}

// One port per IPU of a partition, in one process.
class Ports {
public:
  Ports(std::uint32_t ipus, fabric::TransportKind kind = fabric::TransportKind::Tcp) {
    std::map<IpuId, fabric::Endpoint> endpoints;
    for (std::uint32_t i = 0; i < ipus; ++i) {
      const std::string name = "sync-" + std::to_string(i);
      using fabric::Endpoint;
      const Endpoint listen = kind == fabric::TransportKind::Tcp   ? Endpoint()
                              : kind == fabric::TransportKind::Ipc ? Endpoint::ipc(folder() / name)
                                                                   : Endpoint::inproc(name);
      auto port = SyncPort::bind(context_, listen);
      EXPECT_TRUE(port.ok()) << port.status().message;
      endpoints[{i}] = (*port)->endpoint();
      ports_.push_back(std::move(*port));
    }
    for (std::uint32_t i = 0; i < ipus; ++i)
      ports_[i]->connect({i}, endpoints);
  }
  SyncPort &operator[](std::uint32_t ipu) { return *ports_[ipu]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ports_.size()); }
  zmq::context_t &context() { return context_; }

  // Runs `program` on a thread per IPU.
  void onEach(const std::function<void(std::uint32_t self)> &program) {
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < size(); ++i)
      threads.emplace_back([&, i] { program(i); });
    for (auto &thread : threads)
      thread.join();
  }

  const std::filesystem::path &folder() const { return folder_.path(); }

private:
  test::TemporaryFolder folder_;
  zmq::context_t context_;
  std::vector<std::unique_ptr<SyncPort>> ports_;
};

class BarrierOf : public ::testing::TestWithParam<std::uint32_t> {};
// 32 arrivals exceed the kernel's queue of datagrams.
INSTANTIATE_TEST_SUITE_P(Members, BarrierOf, ::testing::Values(2u, 3u, 8u, 32u));

TEST_P(BarrierOf, LeavesAtTheLatestArrivalPlusTheLatency) {
  for (const auto kind :
       {fabric::TransportKind::Tcp, fabric::TransportKind::Inproc, fabric::TransportKind::Ipc}) {
    Ports ports(GetParam(), kind);
    const auto start = std::chrono::steady_clock::now();
    ports.onEach([&](std::uint32_t self) {
      Barrier barrier(ports[self], SyncGroup::GS1, firstIpus(ports.size()), kLatency, 10s);
      for (std::uint64_t round = 0; round < 200; ++round) {
        const auto arrival = [&](std::uint64_t ipu) {
          return Cycles{round * 1000 + (ipu * 37 + round * 11) % 100};
        };
        Cycles latest;
        for (std::uint64_t ipu = 0; ipu < ports.size(); ++ipu)
          latest = std::max(latest, arrival(ipu));
        barrier.arrive(arrival(self));
        const auto left = barrier.wait();
        ASSERT_TRUE(left.ok()) << left.status().message;
        ASSERT_EQ(*left, latest + kLatency);
      }
    });
    // A barrier that missed a message until its next repeat would take half a second for each
    // iteration.
    EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
  }
}

TEST(LocalSync, LeavesNoFileBehindAndReplacesThatOfADeadProcess) {
  std::filesystem::path folder;
  {
    Ports ports(2, fabric::TransportKind::Ipc);
    folder = ports.folder();
    EXPECT_FALSE(std::filesystem::is_empty(folder));
    const fabric::Endpoint again = ports[0].endpoint();
    EXPECT_TRUE(SyncPort::bind(ports.context(), again).ok());
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(LocalSync, CountsAndDropsForeignBytes) {
  Ports ports(2, fabric::TransportKind::Ipc);
  const std::string path = ports[0].endpoint().place();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int stranger = ::socket(AF_UNIX, SOCK_DGRAM, 0);
  for (const std::size_t bytes : {std::size_t{9}, std::size_t{70'000}})
    EXPECT_EQ(::sendto(stranger, std::string(bytes, 'x').data(), bytes, 0,
                       reinterpret_cast<const sockaddr *>(&address), sizeof address),
              static_cast<ssize_t>(bytes));
  ::close(stranger);
  ports.onEach([&](std::uint32_t self) {
    Barrier barrier(ports[self], SyncGroup::GS1, firstIpus(2), kLatency, 10s);
    barrier.arrive({self});
    const auto left = barrier.wait();
    EXPECT_TRUE(left.ok()) << left.status().message;
  });
  EXPECT_EQ(ports[0].malformed(), 2u);
}

/// Fills an inbox with as many foreign datagrams as the kernel accepts.
void fillInbox(const std::string &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int stranger = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  while (::sendto(stranger, "noise", 5, 0, reinterpret_cast<const sockaddr *>(&address),
                  sizeof address) == 5) {
  }
  ::close(stranger);
}

TEST(LocalSync, ResendsRefusedMessagesWhenTheCoordinatorAnswers) {
  Ports ports(2, fabric::TransportKind::Ipc);
  Barrier first(ports[0], SyncGroup::GS1, firstIpus(2), kLatency, 10s);
  Barrier second(ports[1], SyncGroup::GS1, firstIpus(2), kLatency, 10s);
  second.arrive({1});
  fillInbox(ports[1].endpoint().place());
  first.arrive({0});
  ASSERT_TRUE(first.wait().ok()); // it has left, and nothing else makes it send
  auto left = std::async(std::launch::async, [&] { return second.wait(); });
  const auto deadline = std::chrono::steady_clock::now() + 5s;
  while (left.wait_for(10ms) != std::future_status::ready &&
         std::chrono::steady_clock::now() < deadline)
    ports[0].answer();
  const auto time = left.get();
  EXPECT_TRUE(time.ok()) << time.status().message;
}

TEST(LocalSync, ReportsATooLongPath) {
  zmq::context_t context;
  const auto port = SyncPort::bind(context, fabric::Endpoint::ipc("/tmp/" + std::string(200, 'x')));
  EXPECT_EQ(port.status().code, wire::Code::InvalidOption);
  EXPECT_THAT(port.status().message, HasSubstr("too long"));
}

TEST(LocalSync, TimesOutForAMissingMember) {
  Ports ports(2, fabric::TransportKind::Ipc);
  Barrier barrier(ports[1], SyncGroup::GS1, firstIpus(2), kLatency, 100ms);
  std::filesystem::remove_all(ports.folder()); // no member can be reached there
  barrier.arrive({1});
  EXPECT_EQ(barrier.wait().status().code, wire::Code::Timeout);
}

TEST(Barrier, NoMemberLeavesBeforeTheLastArrival) {
  Ports ports(4);
  std::latch othersArrived(3);
  ports.onEach([&](std::uint32_t self) {
    Barrier barrier(ports[self], SyncGroup::GS1, firstIpus(4), kLatency, 10s);
    const bool last = self == 2;
    if (last)
      othersArrived.wait();
    barrier.arrive({last ? 1000u : self});
    if (!last)
      othersArrived.count_down();
    const auto left = barrier.wait();
    ASSERT_TRUE(left.ok()) << left.status().message;
    EXPECT_GE(left->value, 1000u) << "only the last member could tell of that clock";
  });
}

TEST(Barrier, MembersAtDifferentStepsFailAtOnceAndAreNamed) {
  Ports ports(3);
  ports.onEach([&](std::uint32_t self) {
    BarrierNames names;
    names.member = [](IpuId ipu) { return "replica " + std::to_string(ipu.value); };
    Barrier barrier(ports[self], SyncGroup::GS2, firstIpus(3), kLatency, 10s, names);
    barrier.arrive({self}, 4);
    EXPECT_TRUE(barrier.wait().ok());
    EXPECT_EQ(barrier.passed(), 1u);
    barrier.arrive({self}, self == 2 ? 9 : 5);
    const auto left = barrier.wait();
    ASSERT_FALSE(left.ok());
    EXPECT_EQ(left.status().code, Code::VertexFault);
    EXPECT_THAT(left.status().message,
                HasSubstr("replica 0 waits at step 5, but replica 2 at step 9"));
    EXPECT_EQ(barrier.passed(), 1u);
  });
}

TEST(Barrier, ReportsItsDelayOnce) {
  Ports ports(2);
  std::atomic<int> notices{0};
  ports.onEach([&](std::uint32_t self) {
    Barrier barrier(ports[self], SyncGroup::GS2, firstIpus(2), kLatency, 60s);
    if (self == 1) // comes when the other has complained, and no sooner
      for (const auto giveUp = std::chrono::steady_clock::now() + 30s;
           notices == 0 && std::chrono::steady_clock::now() < giveUp;)
        std::this_thread::sleep_for(5ms);
    barrier.arrive({self});
    EXPECT_TRUE(barrier.wait([&] { notices += self == 0 ? 1 : 0; }).ok());
  });
  EXPECT_EQ(notices, 1);
}

TEST(Barrier, GroupOfOneLeavesAtOnce) {
  Ports ports(1);
  Barrier barrier(ports[0], SyncGroup::GS1, firstIpus(1), {0}, 10s);
  barrier.arrive({77});
  const auto left = barrier.wait();
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(*left, Cycles{77});
}

TEST(Barrier, GroupsOfOnePortDoNotMix) {
  // GS1 consists of the pairs {0, 1} and {2, 3}, GS2 of all. Source: guide, 2.7.2,
  // intraReplicaAndAll.
  Ports ports(4);
  ports.onEach([&](std::uint32_t self) {
    const std::uint32_t first = self / 2 * 2;
    Barrier pair(ports[self], SyncGroup::GS1, {{first}, {first + 1}}, {1}, 10s);
    Barrier all(ports[self], SyncGroup::GS2, firstIpus(4), {5}, 10s);
    Cycles now{self};
    for (int round = 0; round < 50; ++round) {
      // The first pair syncs among itself more often, so that messages of GS2 come while it waits
      // in GS1.
      for (int i = 0; i < (first == 0 ? 3 : 1); ++i) {
        pair.arrive(now);
        const auto left = pair.wait();
        ASSERT_TRUE(left.ok()) << left.status().message;
        now = *left;
      }
      all.arrive(now);
      const auto left = all.wait();
      ASSERT_TRUE(left.ok()) << left.status().message;
      now = *left;
    }
    // Each iteration: three syncs of one cycle in the slowest pair, then 5 of all. Once the clocks
    // are equal.
    EXPECT_EQ(now, (Cycles{1 + 50 * (3 + 5)}));
  });
}

TEST(Barrier, MissingMemberIsNamedToAllWithItsGroup) {
  Ports ports(4);
  ports.onEach([&](std::uint32_t self) {
    Barrier barrier(ports[self], SyncGroup::GS2, firstIpus(4), kLatency, 300ms);
    if (self == 2)
      return;
    barrier.arrive({0});
    const auto left = barrier.wait();
    EXPECT_EQ(left.status().code, Code::Timeout);
    EXPECT_THAT(left.status().message,
                AllOf(HasSubstr("GS2"), HasSubstr("ipu 2"), HasSubstr("300 ms"),
                      Not(HasSubstr("ipu 1")), Not(HasSubstr("ipu 3"))));
  });
}

TEST(Barrier, MissingCoordinatorIsNamed) {
  Ports ports(3);
  ports.onEach([&](std::uint32_t self) {
    Barrier barrier(ports[self], SyncGroup::GS1, firstIpus(3), kLatency, 200ms);
    if (self == 0)
      return;
    barrier.arrive({0});
    const auto left = barrier.wait();
    EXPECT_EQ(left.status().code, Code::Timeout);
    EXPECT_THAT(left.status().message, HasSubstr("ipu 0"));
  });
}

/// Keeps the caller, and so its sockets, until all members have come as far: no message is cut off.
class TogetherAtTheEnd {
public:
  explicit TogetherAtTheEnd(std::latch &all) : all_(all) {}
  ~TogetherAtTheEnd() { all_.arrive_and_wait(); }
  TogetherAtTheEnd(const TogetherAtTheEnd &) = delete;
  TogetherAtTheEnd &operator=(const TogetherAtTheEnd &) = delete;

private:
  std::latch &all_;
};

class BarrierFailure : public ::testing::TestWithParam<std::uint32_t> {};
// The coordinator, and a member.
INSTANTIATE_TEST_SUITE_P(Missing, BarrierFailure, ::testing::Values(0u, 2u));

TEST_P(BarrierFailure, ReleasesAllMembersWithTheError) {
  Ports ports(4);
  const auto start = std::chrono::steady_clock::now();
  std::latch ended(4);
  ports.onEach([&](std::uint32_t self) {
    Barrier barrier(ports[self], SyncGroup::GS1, firstIpus(4), kLatency, 20s);
    const TogetherAtTheEnd end(ended);
    barrier.arrive({0});
    ASSERT_TRUE(barrier.wait().ok());
    if (self == GetParam()) {
      barrier.fail({Code::VertexFault, "tile 5 divided by zero"});
      return;
    }
    barrier.arrive({1});
    const auto left = barrier.wait();
    EXPECT_EQ(left.status().code, Code::VertexFault);
    EXPECT_EQ(left.status().message,
              "ipu " + std::to_string(GetParam()) + ": tile 5 divided by zero");
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start, 15s);
}

TEST_P(BarrierFailure, StopFromAnotherThreadReleasesTheWholeGroup) {
  Ports ports(4);
  std::atomic<unsigned> waiting{0};
  std::latch ended(4);
  std::thread stopper([&] {
    while (waiting < 3)
      std::this_thread::yield();
    ports[GetParam()].stop({Code::Cancelled, "the host said so"});
  });
  ports.onEach([&](std::uint32_t self) {
    Barrier barrier(ports[self], SyncGroup::GS1, firstIpus(4), kLatency, 20s);
    const TogetherAtTheEnd end(ended);
    if (self == 3) // never comes
      return;
    barrier.arrive({0});
    ++waiting;
    const auto left = barrier.wait();
    EXPECT_EQ(left.status().message,
              self == GetParam() ? "the host said so"
                                 : "ipu " + std::to_string(GetParam()) + ": the host said so");
  });
  stopper.join();
}

TEST(Barrier, StopBeforeTheSyncPointCounts) {
  Ports ports(2);
  Barrier barrier(ports[1], SyncGroup::GS1, firstIpus(2), kLatency, 20s);
  ports[1].stop({Code::Cancelled, "too late"});
  barrier.arrive({0});
  EXPECT_EQ(barrier.wait().status().message, "too late");
}

TEST(Barrier, ResetMakesAFailedGroupWorkAgain) {
  Ports ports(3);
  std::vector<std::unique_ptr<Barrier>> barriers;
  for (std::uint32_t i = 0; i < 3; ++i)
    barriers.push_back(
        std::make_unique<Barrier>(ports[i], SyncGroup::GS1, firstIpus(3), kLatency, 5s));
  ports[1].stop({Code::Cancelled, "failed"});
  ports.onEach([&](std::uint32_t self) {
    barriers[self]->arrive({0});
    EXPECT_THAT(barriers[self]->wait().status().message, HasSubstr("failed"));
  });
  for (std::uint32_t i = 0; i < 3; ++i)
    ports[i].reset(1);
  ports.onEach([&](std::uint32_t self) {
    barriers[self]->arrive({self});
    const auto left = barriers[self]->wait();
    ASSERT_TRUE(left.ok()) << left.status().message;
    EXPECT_EQ(*left, Cycles{2} + kLatency);
  });
}

TEST(Barrier, ArrivalOfAnEarlierEpochDoesNotCount) {
  Ports ports(2);
  Barrier coordinator(ports[0], SyncGroup::GS1, firstIpus(2), kLatency, 200ms);
  Barrier member(ports[1], SyncGroup::GS1, firstIpus(2), kLatency, 200ms);
  member.arrive({5}); // number 0 of epoch 0
  ports[0].reset(1);
  coordinator.arrive({5});
  EXPECT_EQ(coordinator.wait().status().code, Code::Timeout);
}

TEST(Barrier, MissingEndpointIsReportedByWait) {
  Ports ports(2);
  ports[1].connect({1}, {});
  Barrier barrier(ports[1], SyncGroup::GS1, firstIpus(2), kLatency, 1s);
  barrier.arrive({0});
  const auto left = barrier.wait();
  EXPECT_EQ(left.status().code, Code::InvalidOption);
  EXPECT_THAT(left.status().message, HasSubstr("ipu 0"));
}

// Members of one machine, which meet in memory after some sync points, once all have the memory.
class BarrierInMemory : public ::testing::TestWithParam<std::uint32_t> {
protected:
  static constexpr std::uint32_t kMembers = 4;

  BarrierInMemory() {
    for (std::uint32_t i = 0; i < kMembers; ++i)
      barriers.push_back(std::make_unique<Barrier>(ports[i], SyncGroup::GS1, firstIpus(kMembers),
                                                   kLatency, 400ms));
    meetOften();
  }
  void meetOften() {
    ports.onEach([&](std::uint32_t self) {
      for (int round = 0; round < 5; ++round) {
        barriers[self]->arrive({self}, 1);
        const auto left = barriers[self]->wait();
        ASSERT_TRUE(left.ok()) << left.status().message;
        ASSERT_EQ(*left, Cycles{kMembers - 1} + kLatency);
      }
    });
  }
  // Expects a condition on the results of all members but `absent`.
  void expectOnAllBut(
      std::uint32_t absent, Code code, const std::string &words,
      const std::function<void()> &meanwhile = [] {}) {
    std::latch ended(kMembers);
    ports.onEach([&](std::uint32_t self) {
      const TogetherAtTheEnd end(ended);
      if (self == absent)
        return meanwhile();
      barriers[self]->arrive({0}, 1);
      const auto left = barriers[self]->wait();
      ASSERT_FALSE(left.ok());
      EXPECT_EQ(left.status().code, code) << left.status().message;
      EXPECT_THAT(left.status().message, HasSubstr(words));
    });
  }

  Ports ports{kMembers, fabric::TransportKind::Ipc};
  std::vector<std::unique_ptr<Barrier>> barriers;
};
// The coordinator, and a member.
INSTANTIATE_TEST_SUITE_P(Missing, BarrierInMemory, ::testing::Values(0u, 2u));

TEST_P(BarrierInMemory, AFailureReleasesAllMembersWithTheError) {
  expectOnAllBut(GetParam(), Code::VertexFault, "tile 5 divided by zero", [&] {
    std::this_thread::sleep_for(20ms); // most likely the others sleep by now
    barriers[GetParam()]->fail({Code::VertexFault, "tile 5 divided by zero"});
  });
}

TEST_P(BarrierInMemory, StopReleasesAllWaitingMembers) {
  std::thread stopper([&] {
    std::this_thread::sleep_for(20ms);
    ports[GetParam()].stop({Code::Cancelled, "the host said so"});
  });
  expectOnAllBut(3, Code::Cancelled, "the host said so");
  stopper.join();
}

TEST_P(BarrierInMemory, MissingMemberIsNamed) {
  expectOnAllBut(GetParam(), Code::Timeout, "ipu " + std::to_string(GetParam()));
}

TEST_P(BarrierInMemory, MembersAtDifferentStepsFailAndAreNamed) {
  ports.onEach([&](std::uint32_t self) {
    barriers[self]->arrive({self}, self == GetParam() ? 9 : 5);
    const auto left = barriers[self]->wait();
    EXPECT_EQ(left.status().code, Code::VertexFault) << left.status().message;
    EXPECT_THAT(left.status().message, AllOf(HasSubstr("at step 5"), HasSubstr("at step 9")));
  });
}

TEST_P(BarrierInMemory, ResetMakesAFailedGroupWorkAgain) {
  barriers[GetParam()]->fail({Code::VertexFault, "tile 5 divided by zero"});
  for (std::uint32_t i = 0; i < kMembers; ++i)
    ports[i].reset(1);
  meetOften();
}

// Sends `envelope` to a port as if from a member.
void forge(zmq::socket_t &socket, const wire::Envelope &envelope) {
  const auto bytes = wire::encode(envelope);
  socket.send(zmq::buffer(bytes.data(), bytes.size()));
}

class BarrierWithForgedMessages : public ::testing::Test {
protected:
  BarrierWithForgedMessages() : socket(ports.context(), zmq::socket_type::push) {
    socket.set(zmq::sockopt::linger, 0);
    socket.connect(ports[0].endpoint().text());
  }
  static wire::Envelope arrival(std::uint32_t from, std::uint64_t sequence) {
    wire::Envelope envelope;
    envelope.from = {from};
    envelope.to = {0};
    envelope.sequence = sequence;
    envelope.body = wire::SyncArrive{SyncGroup::GS1, {9}, wire::Status::success()};
    return envelope;
  }
  wire::Result<Cycles> arriveAndWait() {
    Barrier barrier(ports[0], SyncGroup::GS1, firstIpus(2), kLatency, 200ms);
    barrier.arrive({3});
    return barrier.wait();
  }

  Ports ports{2};
  zmq::socket_t socket;
};

TEST_F(BarrierWithForgedMessages, MalformedMessagesAreCountedAndDropped) {
  socket.send(zmq::str_buffer("no header"));
  socket.send(zmq::str_buffer("two"), zmq::send_flags::sndmore);
  socket.send(zmq::str_buffer("frames"));
  forge(socket, arrival(1, 0));
  EXPECT_TRUE(arriveAndWait().ok());
  EXPECT_EQ(ports[0].malformed(), 2u);
}

TEST_F(BarrierWithForgedMessages, OtherSendersAndSyncPointsDoNotCount) {
  forge(socket, arrival(7, 0)); // not of the group
  forge(socket, arrival(1, 1)); // not this sync point
  EXPECT_EQ(arriveAndWait().status().code, Code::Timeout);
}

TEST_F(BarrierWithForgedMessages, RepeatedArrivalCountsOnce) {
  forge(socket, arrival(1, 0));
  forge(socket, arrival(1, 0));
  Barrier barrier(ports[0], SyncGroup::GS1, firstIpus(2), kLatency, 200ms);
  barrier.arrive({3});
  ASSERT_TRUE(barrier.wait().ok());
  barrier.arrive({4});
  EXPECT_EQ(barrier.wait().status().code, Code::Timeout);
}

// A coordinator and a member whose peer is a pair of bare sockets, so that the test can lose
// messages.
class BarrierWithLoss : public ::testing::Test {
protected:
  BarrierWithLoss()
      : inbox(context, zmq::socket_type::pull), outbox(context, zmq::socket_type::push) {
    for (auto *socket : {&inbox, &outbox})
      socket->set(zmq::sockopt::linger, 0);
    inbox.set(zmq::sockopt::rcvtimeo, 5000);
    inbox.bind("tcp://127.0.0.1:*");
    auto bound = SyncPort::bind(context, fabric::Endpoint());
    EXPECT_TRUE(bound.ok());
    port = std::move(*bound);
    outbox.connect(port->endpoint().text());
  }
  void connect(IpuId self, IpuId peer) {
    port->connect(self, {{peer, *fabric::Endpoint::parse(inbox.get(zmq::sockopt::last_endpoint))}});
  }
  template <class Body> wire::Envelope next() {
    zmq::message_t frame;
    EXPECT_TRUE(inbox.recv(frame));
    const auto *bytes = static_cast<const std::byte *>(frame.data());
    auto envelope = wire::decodeEnvelope({bytes, frame.size()});
    EXPECT_TRUE(envelope.ok() && std::holds_alternative<Body>(envelope->body));
    return envelope.ok() ? *envelope : wire::Envelope{};
  }
  void answer(IpuId from, IpuId to, std::uint64_t sequence, decltype(wire::Envelope::body) body) {
    wire::Envelope envelope;
    envelope.from = from;
    envelope.to = to;
    envelope.sequence = sequence;
    envelope.body = std::move(body);
    forge(outbox, envelope);
  }

  zmq::context_t context;
  zmq::socket_t inbox, outbox;
  std::unique_ptr<SyncPort> port;
};

TEST_F(BarrierWithLoss, MemberRepeatsItsArrival) {
  connect({1}, {0});
  std::thread coordinator([&] {
    (void)next<wire::SyncArrive>(); // lost
    EXPECT_EQ(next<wire::SyncArrive>().sequence, 0u);
    answer({0}, {1}, 0, wire::SyncLeave{SyncGroup::GS1, {42}, wire::Status::success()});
  });
  Barrier barrier(*port, SyncGroup::GS1, firstIpus(2), kLatency, 5s);
  barrier.arrive({1});
  const auto left = barrier.wait();
  coordinator.join();
  ASSERT_TRUE(left.ok()) << left.status().message;
  EXPECT_EQ(*left, Cycles{42});
}

TEST_F(BarrierWithLoss, CoordinatorRepeatsItsLeave) {
  connect({0}, {1});
  const wire::SyncArrive arrival{SyncGroup::GS1, {7}, wire::Status::success()};
  std::thread member([&] {
    answer({1}, {0}, 0, arrival);
    (void)next<wire::SyncLeave>(); // lost
    answer({1}, {0}, 0, arrival);
    EXPECT_EQ(next<wire::SyncLeave>().sequence, 0u);
    answer({1}, {0}, 1, arrival);
    EXPECT_EQ(next<wire::SyncLeave>().sequence, 1u);
  });
  Barrier barrier(*port, SyncGroup::GS1, firstIpus(2), kLatency, 5s);
  for (int round = 0; round < 2; ++round) {
    barrier.arrive({1});
    const auto left = barrier.wait();
    EXPECT_TRUE(left.ok()) << left.status().message;
  }
  member.join();
}

} // namespace
} // namespace copse::sync
