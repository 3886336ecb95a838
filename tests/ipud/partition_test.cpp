// Tests several IPUs, each on a thread of its own, with messages in memory.
#include "image_builder.hpp"
#include "memory_environment.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <thread>

namespace copse::ipud {
namespace {

using test::ImageBuilder;
using test::kBase;
using test::machine;
using test::MemoryEnvironment;
using test::moduleAt;
using test::Partition;
using test::step;
using test::valuesOf;
using ::testing::HasSubstr;
using wire::Op;

constexpr std::uint32_t kIn = kBase + 0x400, kOut = kBase + 0x800;

/// The IPUs of a partition; IPU p of every replica has image p.
class Ipus {
public:
  Ipus(std::uint32_t replicas, const std::vector<wire::Image> &images)
      : timing(machine(), wire::Topology::Mesh,
               replicas * static_cast<std::uint32_t>(images.size())),
        partition(replicas, static_cast<std::uint32_t>(images.size()), timing) {
    const auto perReplica = static_cast<std::uint32_t>(images.size());
    for (std::uint32_t i = 0; i < replicas * perReplica; ++i) {
      ipus.push_back(std::make_unique<Ipu>(timing, IpuOptions{}));
      environments.push_back(std::make_unique<MemoryEnvironment>(partition, i));
      const auto status =
          ipus[i]->load(images[i % perReplica],
                        {{i}, {i / perReplica}, replicas, perReplica, wire::Topology::Mesh},
                        moduleAt(TEST_CODELETS));
      EXPECT_TRUE(status.ok()) << status.message;
    }
  }

  /// Runs program 0 everywhere. One failure stops all, as the daemon does it.
  std::vector<wire::Result<IpuRun>> run() {
    std::vector<wire::Result<IpuRun>> reports(ipus.size(), IpuRun{});
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < ipus.size(); ++i)
        threads.emplace_back([this, i, &reports] {
          reports[i] = ipus[i]->run(0, *environments[i]);
          if (!reports[i].ok())
            partition.stop();
        });
    }
    return reports;
  }
  std::vector<std::int32_t> values(std::size_t ipu) const {
    return valuesOf<std::int32_t>((*ipus[ipu]->readView(0)).bytes());
  }

  clock::TimingModel timing;
  Partition partition;
  std::vector<std::unique_ptr<MemoryEnvironment>> environments;
  std::vector<std::unique_ptr<Ipu>> ipus;
};

void expectAllWell(const std::vector<wire::Result<IpuRun>> &reports) {
  for (const auto &report : reports)
    EXPECT_TRUE(report.ok()) << report.status().message;
}

/// Returns images in which every IPU sends word p of its row to IPU p and receives the others'
/// words: a transposition, ten times.
std::vector<wire::Image> allToAll(std::uint32_t ipus) {
  std::vector<wire::Image> images;
  for (std::uint32_t self = 0; self < ipus; ++self) {
    ImageBuilder b(2, self, ipus);
    b.computeSet("work of another length on each IPU");
    b.vertex(0, b.function("addOne"), kBase, {kBase + 64}, 100 * (self + 1));
    wire::Exchange exchange;
    exchange.name = "all to all";
    exchange.moves = {{{0, kIn + 4 * self}, {1, kOut + 4 * self}, 4, 1, 0, 0}};
    for (std::uint32_t peer = 0; peer < ipus; ++peer) {
      b.words({0, kIn + 4 * peer}, {100 * self + peer});
      for (std::uint32_t to = 0; to < ipus; ++to)
        if (to != peer)
          exchange.flows.push_back({peer, to, 4});
      if (peer == self)
        continue;
      exchange.sends.push_back({peer, {{0, kIn + 4 * peer, 4, 1, 0}}, 4});
      exchange.receives.push_back({peer, {{1, kOut + 4 * peer, 4, 1, 0}}, 4});
    }
    b.image.exchanges = {exchange};
    b.view({1, kOut}, 4 * ipus);
    auto repeat = step(Op::Repeat);
    repeat.count = 10;
    repeat.body = 3;
    b.program({repeat, step(Op::ComputeSet), step(Op::Sync, 1), step(Op::Exchange)});
    images.push_back(b.image);
  }
  return images;
}

class AllToAll : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(AllToAll, TransposesAndKeepsTheClocksTogether) {
  const auto n = GetParam();
  std::vector<std::uint64_t> clocks;
  for (int round = 0; round < 3; ++round) {
    Ipus ipus(1, allToAll(n));
    const auto reports = ipus.run();
    expectAllWell(reports);
    for (std::uint32_t self = 0; self < n; ++self)
      for (std::uint32_t peer = 0; peer < n; ++peer)
        EXPECT_EQ(ipus.values(self)[peer], static_cast<std::int32_t>(100 * peer + self));
    for (const auto &report : reports)
      clocks.push_back((*report).end.value);
  }
  for (std::size_t i = n; i < clocks.size(); ++i)
    EXPECT_EQ(clocks[i], clocks[i - n]) << "modelled time differs from run to run";
}
INSTANTIATE_TEST_SUITE_P(Ipus, AllToAll, ::testing::Values(1, 2, 4));

TEST(Exchange, ReadsAllSourcesBeforeItWrites) {
  std::vector<wire::Image> images;
  for (std::uint32_t self = 0; self < 2; ++self) {
    ImageBuilder b(1, self, 2);
    wire::Exchange exchange; // the IPUs swap a word, and each keeps a copy of its old one
    exchange.moves = {{{0, kIn}, {0, kIn + 4}, 4, 1, 0, 0}};
    exchange.sends = {{1 - self, {{0, kIn, 4, 1, 0}}, 4}};
    exchange.receives = exchange.sends;
    exchange.flows = {{0, 1, 4}, {1, 0, 4}};
    b.image.exchanges = {exchange};
    b.words({0, kIn}, {10 + self});
    b.view({0, kIn}, 8);
    b.program({step(Op::Exchange)});
    images.push_back(b.image);
  }
  Ipus ipus(1, images);
  expectAllWell(ipus.run());
  EXPECT_EQ(ipus.values(0), (std::vector<std::int32_t>{11, 10}));
  EXPECT_EQ(ipus.values(1), (std::vector<std::int32_t>{10, 11}));
}

/// Returns an image with a cross-replica copy to the next replica, with two IPUs per replica: a
/// word of IPU p to the same address.
wire::Image ringImage(std::uint32_t ipu, const std::vector<std::uint32_t> &map,
                      std::uint32_t peer) {
  ImageBuilder b(1, ipu, 2);
  wire::Exchange exchange;
  exchange.name = "ring";
  exchange.replicaMap = map;
  exchange.sends = {{peer, {{0, kIn, 4, 1, 0}}, 4}};
  exchange.receives = {{peer, {{0, kIn, 4, 1, 0}}, 4}};
  exchange.flows = {{0, peer ^ ipu, 4}, {1, 1 ^ peer ^ ipu, 4}};
  b.image.exchanges = {exchange};
  b.image.replicaIndices = {{0, kIn}};
  b.words({0, kIn + 4}, {ipu});
  b.view({0, kIn}, 8);
  b.program({step(Op::Sync, 1), step(Op::Exchange)});
  return b.image;
}

TEST(CrossReplica, ARingMovesEveryValueOneReplicaOn) {
  const std::vector<std::uint32_t> next = {1, 2, 3, 0};
  Ipus ipus(4, {ringImage(0, next, 0), ringImage(1, next, 1)});
  expectAllWell(ipus.run());
  for (std::uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(ipus.values(i)[0], static_cast<std::int32_t>((i / 2 + 3) % 4)) << "ipu " << i;
}

TEST(CrossReplica, AReplicaMayBeItsOwnTarget) {
  const std::vector<std::uint32_t> map = {0, 2, 1};
  for (const bool crossed : {false, true}) { // to the same IPU, or to the other one of the replica
    Ipus ipus(3, {ringImage(0, map, crossed ? 1 : 0), ringImage(1, map, crossed ? 0 : 1)});
    expectAllWell(ipus.run());
    for (std::uint32_t i = 0; i < 6; ++i)
      EXPECT_EQ(ipus.values(i)[0], static_cast<std::int32_t>(map[i / 2])) << "ipu " << i;
  }
}

TEST(CrossReplica, AnIpuMayNotReceiveMoreOfItselfThanItSends) {
  auto image = ringImage(0, {0}, 0);
  image.ipusPerReplica = 1;
  auto &exchange = image.exchanges[0];
  exchange.flows = {{0, 0, 4}};
  exchange.receives.push_back({0, {}, 0}); // the bytes agree, the messages do not
  Ipus ipus(1, {image});
  EXPECT_THAT(ipus.run()[0].status().message, HasSubstr("exchange 'ring': ipu 0 sends itself 1"));
}

TEST(Divergence, IsAnErrorOnTheIpuThatSeesIt) {
  auto images = allToAll(2);
  images[1].exchanges.push_back(images[1].exchanges[0]);
  images[1].steps[3].index = 1; // another exchange than IPU 0 is at
  Ipus ipus(1, images);
  const auto reports = ipus.run();
  bool seen = false;
  for (const auto &report : reports) {
    EXPECT_FALSE(report.ok());
    seen |= report.status().message.find("diverged") != std::string::npos;
  }
  EXPECT_TRUE(seen);
}

TEST(Divergence, AMessageOfAnotherSizeIsRefused) {
  auto images = allToAll(2);
  auto &exchange = images[1].exchanges[0];
  exchange.sends[0].regions[0].count = 2;
  exchange.sends[0].bytes = 8;
  exchange.flows[1].bytes = 8;
  Ipus ipus(1, images);
  EXPECT_THAT(ipus.run()[0].status().message, HasSubstr("ipu 1 sent 8 bytes instead of 4"));
}

TEST(Failure, ReleasesTheOtherIpus) {
  auto images = allToAll(4);
  images[2].functions[0].symbol = "illegal";
  Ipus ipus(1, images);
  const auto reports = ipus.run();
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(reports[i].status().code, i == 2 ? wire::Code::VertexFault : wire::Code::Cancelled);
  EXPECT_THAT(reports[2].status().message, HasSubstr("ipu 2, tile 0"));
}

} // namespace
} // namespace copse::ipud
