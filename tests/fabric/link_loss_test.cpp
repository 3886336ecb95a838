#include "bad_wire.hpp"
#include "bad_wire_seeds.hpp"
#include "link_cluster.hpp"

#include <thread>

namespace copse::fabric {
namespace {

using namespace test;
using copse::test::BadWire;

class FaultyLinks : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, FaultyLinks, ::testing::Range(1u, copse::test::badWireSeeds() + 1));

TEST_P(FaultyLinks, NothingIsLostRepeatedSwappedOrDamaged) {
  constexpr std::uint32_t kPackets = 400;
  LinkOptions options;
  options.windowPackets = 16;
  options.ackDelay = 1ms;
  options.probeInterval = 5ms;
  options.deadline = 30s;
  options.checkPayload = true;
  LinkCluster cluster(TransportKind::Tcp, wire::Topology::Mesh, 2, options);
  BadWire there(cluster.context(), cluster.endpoint(1).text(), {GetParam()});
  BadWire back(cluster.context(), cluster.endpoint(0).text(), {GetParam() + 100});
  cluster.connect({{{0}, {{{1}, *Endpoint::parse(there.endpoint())}}},
                   {{1}, {{{0}, *Endpoint::parse(back.endpoint())}}}});

  const auto text = [](std::uint32_t self, std::uint32_t i) {
    return std::to_string(self) + ":" + std::string(i % 100, 'x') + std::to_string(i);
  };
  std::vector<std::thread> programs;
  for (const std::uint32_t self : {0u, 1u})
    programs.emplace_back([&, self] {
      for (std::uint32_t i = 0; i < kPackets; ++i) {
        const auto status = cluster[self].send({1 - self}, i, payloadOf(text(self, i)));
        ASSERT_TRUE(status.ok()) << status.message;
      }
      for (std::uint32_t i = 0; i < kPackets; ++i) {
        const auto got = cluster[self].receive({1 - self}, i, in(30s));
        ASSERT_TRUE(got.ok()) << got.status().message;
        ASSERT_EQ(textOf(*got), text(1 - self, i));
      }
      EXPECT_EQ(cluster[self].receive({1 - self}, 0, in(50ms)).status().code, wire::Code::Timeout)
          << "more came than was sent";
    });
  for (auto &program : programs)
    program.join();
  for (const BadWire *wire : {&there, &back}) {
    EXPECT_GT(wire->dropped, 10u);
    EXPECT_GT(wire->repeated, 10u);
    EXPECT_GT(wire->swapped, 10u);
    EXPECT_GT(wire->damaged, 10u);
    EXPECT_GT(wire->delayed, 5u);
    EXPECT_GT(wire->cut, 0u);
  }
}

} // namespace
} // namespace copse::fabric
