#include "clock/timing_model.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <string>

namespace copse::clock {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using wire::Cycles;
using wire::Topology;

std::string configText(const std::string &name) {
  std::ifstream file(std::string(CONFIGS) + "/" + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

MachineModel config(const std::string &name) {
  auto model = parseMachineModel(configText(name));
  EXPECT_TRUE(model.ok()) << model.status().message;
  return *model;
}

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::vector<wire::IpuId> firstIpus(std::uint32_t count) {
  std::vector<wire::IpuId> ipus;
  for (std::uint32_t i = 0; i < count; ++i)
    ipus.push_back({i});
  return ipus;
}

/// Returns the cycles of one compute set on tile 0.
std::uint64_t computeCycles(const MachineModel &machine, const std::vector<std::uint32_t> &vertices,
                            bool multiVertex = false) {
  wire::ComputeSet set;
  set.tiles = {{0, 0, static_cast<std::uint32_t>(vertices.size())}};
  for (const auto cycles : vertices)
    set.vertices.push_back({0, 0, cycles});
  wire::CodeletFunction function;
  function.multiVertex = multiVertex;
  return TimingModel(machine, Topology::Mesh, 1).computeSet(set, {function}).value;
}

wire::Exchange flows(std::vector<wire::Flow> list) {
  wire::Exchange exchange;
  exchange.flows = std::move(list);
  return exchange;
}

/// Returns the time of the exchange on IPU \p self of a partition of 8 without replication.
std::uint64_t external(const MachineModel &machine, const std::vector<wire::Flow> &list,
                       std::uint32_t self = 0, Topology topology = Topology::Mesh) {
  return TimingModel(machine, topology, 8).externalExchange(flows(list), self, 0, 1, 8).value;
}

class Configs : public ::testing::TestWithParam<const char *> {};

TEST_P(Configs, Load) {
  const auto model = config(GetParam());
  EXPECT_EQ(model.name, GetParam());
  EXPECT_EQ(model.workers, 6U);
  EXPECT_GT(model.ladderBytesPerSecond, 1e9);
}
INSTANTIATE_TEST_SUITE_P(All, Configs, ::testing::Values("gc2", "gc200", "bow"));

struct BadConfig {
  const char *name;
  const char *what, *by; ///< replaced in gc200.json
  const char *message;
} const kBadConfigs[] = {
    {"Missing", "\"vertexCycles\"", "\"vertexCycle\"", "'vertexCycles' is missing"},
    {"Unknown", "\"name\": \"gc200\"", "\"name\": \"gc200\", \"colour\": 1",
     "'colour' is no constant"},
    {"NoSource", "\"source\": \"Graphcore documents: six", "\"sauce\": \"", "unknown part 'sauce'"},
    {"NegativeRate", "26456250000", "-1", "'rungBytesPerSecond' must be greater than 0"},
    {"FractionOfCycle", "\"value\": 90", "\"value\": 90.5",
     "'internalSyncCycles' must be a whole number"},
    {"Text", "\"value\": 90", "\"value\": \"90\"", "'internalSyncCycles' has no value"},
    {"NoWorkers", "\"value\": 6,", "\"value\": 0,", "'workers' must be greater than 0"},
    {"NoJson", "{", "", "no JSON"},
};
class ConfigRefused : public ::testing::TestWithParam<BadConfig> {};

TEST_P(ConfigRefused, NamesTheKey) {
  const auto &c = GetParam();
  const auto status = parseMachineModel(replaced(configText("gc200"), c.what, c.by)).status();
  EXPECT_EQ(status.code, wire::Code::InvalidOption);
  EXPECT_THAT(status.message, HasSubstr(c.message));
}
INSTANTIATE_TEST_SUITE_P(Cases, ConfigRefused, ::testing::ValuesIn(kBadConfigs),
                         [](const auto &p) { return p.param.name; });

TEST(ConfigValues, MayLeaveOutADelayButNotARate) {
  const auto delay = parseMachineModel(replaced(configText("gc200"), "1.5e-08", "0"));
  ASSERT_TRUE(delay.ok()) << delay.status().message;
  EXPECT_EQ(delay->syncHopSeconds, 0.0);
  EXPECT_FALSE(parseMachineModel(replaced(configText("gc200"), "26456250000", "0")).ok());
}

TEST(ComputeTime, SixVerticesRunSideBySide) {
  auto m = config("gc200");
  m.vertexCycles = 0;
  m.computeSetCycles = 0;
  EXPECT_EQ(computeCycles(m, {600}), 600U);
  EXPECT_EQ(computeCycles(m, std::vector<std::uint32_t>(6, 600)), 600U);
  EXPECT_EQ(computeCycles(m, std::vector<std::uint32_t>(7, 600)), 1200U);
  EXPECT_EQ(computeCycles(m, {600, 100, 100, 100, 100, 100, 400}),
            600U); // to the worker that is free first
}

TEST(ComputeTime, TheSupervisorStartsOneVertexAfterAnother) {
  const auto m = config("gc200");
  EXPECT_EQ(computeCycles(m, {0, 0, 0}), m.computeSetCycles + 3U * m.vertexCycles);
}

TEST(ComputeTime, AMultiVertexOccupiesAllWorkers) {
  auto m = config("gc200");
  m.vertexCycles = 0;
  EXPECT_EQ(computeCycles(m, {600, 600}, true), m.computeSetCycles + 1200U);
}

TEST(ComputeTime, FollowsTheBusiestTile) {
  const auto m = config("gc200");
  wire::ComputeSet set;
  set.tiles = {{0, 0, 1}, {5, 1, 1}};
  set.vertices = {{0, 0, 10}, {0, 0, 500}};
  EXPECT_EQ(TimingModel(m, Topology::Mesh, 1).computeSet(set, {{}}).value,
            m.computeSetCycles + m.vertexCycles + 500U);
  EXPECT_EQ(TimingModel(m, Topology::Mesh, 1).computeSet({}, {}).value, 0U);
}

TEST(InternalExchangeTime, CountsTheBusiestTile) {
  const auto m = config("gc200");
  const TimingModel timing(m, Topology::Mesh, 1);
  const auto fixed = m.internalSyncCycles + m.exchangeLatencyCycles;
  wire::Exchange exchange;
  EXPECT_EQ(timing.internalExchange(exchange).value, 0U);
  exchange.moves = {{{0, 0}, {1, 0}, 4, 100, 4, 4}};
  EXPECT_EQ(timing.internalExchange(exchange).value, fixed + 100U);
  exchange.moves.push_back({{2, 0}, {1, 0}, 400, 1, 0, 0}); // into the same tile
  EXPECT_EQ(timing.internalExchange(exchange).value, fixed + 200U);
  exchange.moves.push_back({{3, 0}, {4, 0}, 400, 1, 0, 0}); // between others
  EXPECT_EQ(timing.internalExchange(exchange).value, fixed + 200U);
  exchange.moves.push_back({{1, 0}, {1, 800}, 801, 1, 0, 0}); // a copy within the tile, rounded up
  EXPECT_EQ(timing.internalExchange(exchange).value, fixed + 200U + 101U);
}

TEST(InternalExchangeTime, CountsABroadcastAsOneCopy) {
  const auto m = config("gc200");
  const TimingModel timing(m, Topology::Mesh, 1);
  const auto fixed = m.internalSyncCycles + m.exchangeLatencyCycles;
  wire::Exchange exchange;
  for (std::uint32_t tile = 1; tile < 100; ++tile)
    exchange.moves.push_back({{0, 0}, {tile, 0}, 400, 1, 0, 0});
  EXPECT_EQ(timing.internalExchange(exchange).value, fixed + 100U);
  exchange.moves.push_back({{0, 400}, {1, 400}, 400, 1, 0, 0}); // other data of the same tile
  EXPECT_EQ(timing.internalExchange(exchange).value, fixed + 200U);
}

TEST(InternalExchangeTime, CountsBlocksOnceHoweverMovesJoinThem) {
  const auto m = config("gc200");
  const TimingModel timing(m, Topology::Mesh, 1);
  const auto fixed = m.internalSyncCycles + m.exchangeLatencyCycles;
  wire::Exchange exchange;
  exchange.moves = {{{0, 0}, {1, 0}, 40, 10, 100, 40}};           // blocks 0 to 9
  exchange.moves.push_back({{0, 500}, {2, 0}, 40, 10, 100, 40});  // 5 to 14
  exchange.moves.push_back({{0, 1400}, {3, 0}, 40, 3, -100, 40}); // 14, 13, 12
  exchange.moves.push_back({{0, 700}, {4, 0}, 40, 1, 0, 0});      // 7
  EXPECT_EQ(timing.internalExchange(exchange).value, fixed + 150U);
  exchange.moves.push_back({{0, 710}, {4, 40}, 40, 1, 0, 0}); // between 7 and 8
  exchange.moves.push_back({{0, 0}, {5, 0}, 40, 2, 200, 40}); // with another stride: counted again
  EXPECT_EQ(timing.internalExchange(exchange).value, fixed + 150U + 10U + 20U);
}

TEST(ExternalExchangeTime, GrowsWithTheBytes) {
  const auto m = config("gc200");
  std::uint64_t previous = 0;
  for (std::uint64_t bytes = 1; bytes < (1ULL << 40); bytes *= 3) {
    const auto now = external(m, {{0, 7, bytes}});
    EXPECT_GE(now, previous);
    previous = now;
  }
}

TEST(ExternalExchangeTime, TwoFlowsOnOneLinkTakeTwiceAsLong) {
  auto m = config("gc200");
  m.hopLatencyCycles = 0;
  const std::uint64_t bytes = 26456250; // a millisecond
  EXPECT_EQ(external(m, {{0, 2, bytes}}), 1'330'000U);
  EXPECT_EQ(external(m, {{0, 2, bytes}, {0, 4, bytes}}), 2'660'000U);
  EXPECT_EQ(external(m, {{0, 2, bytes}, {1, 3, bytes}}), 1'330'000U); // other side of the ladder
  EXPECT_EQ(external(m, {{0, 2, bytes}, {2, 0, bytes}}), 1'330'000U); // other direction
}

TEST(ExternalExchangeTime, OnlyOnesOwnFlowsCountButAllFlowsLoadTheLinks) {
  auto m = config("gc200");
  m.hopLatencyCycles = 0;
  const std::vector<wire::Flow> list = {{0, 2, 1000}, {0, 4, 1'000'000}, {5, 7, 10}};
  EXPECT_EQ(external(m, list, 2), external(m, {{0, 2, 1'001'000}}, 2));
  EXPECT_EQ(external(m, list, 7), external(m, {{5, 7, 10}}, 7));
  EXPECT_EQ(external(m, list, 6), 0U);
}

TEST(ExternalExchangeTime, TrafficThatCrossesAPairDoesNotShareThePairsOwnLinks) {
  auto m = config("gc2");
  m.hopLatencyCycles = 0;
  const auto own = external(m, {{0, 1, 1'000'000}});
  EXPECT_EQ(external(m, {{0, 1, 1'000'000}, {0, 3, 500'000}}, 1), own);
  EXPECT_EQ(external(m, {{0, 3, 1'000'000}}), 2 * own); // half the links
}

TEST(ExternalExchangeTime, EachHopAddsItsLatency) {
  const auto m = config("gc200");
  EXPECT_EQ(external(m, {{0, 6, 1000}}) - external(m, {{0, 2, 1000}}), 2U * m.hopLatencyCycles);
  EXPECT_EQ(external(m, {{0, 6, 1000}}, 0, Topology::Torus), external(m, {{0, 2, 1000}}));
}

TEST(ExternalExchangeTime, ReplicasShareTheLinksOfACrossReplicaCopy) {
  auto m = config("gc200");
  m.hopLatencyCycles = 0;
  const TimingModel timing(m, Topology::Mesh, 8);
  auto exchange = flows({{0, 0, 26456250}});
  EXPECT_EQ(timing.externalExchange(exchange, 0, 0, 8, 1).value, 0U); // to itself
  exchange.replicaMap = {2, 3, 4, 5, 6, 7, 0, 1}; // one rung up, the last one all the way down
  EXPECT_EQ(timing.externalExchange(exchange, 0, 0, 8, 1).value, 1'330'000U);
  exchange.replicaMap = {4, 5, 6, 7, 0, 1, 2, 3}; // two rungs: the middle links carry two flows
  EXPECT_EQ(timing.externalExchange(exchange, 0, 0, 8, 1).value, 2'660'000U);
}

TEST(ExternalExchangeTime, ExchangesThatRunAsOneShareTheLinks) {
  auto m = config("gc200");
  m.hopLatencyCycles = 0;
  const TimingModel timing(m, Topology::Mesh, 4);
  auto there = flows({{0, 0, 26456250}}), back = there;
  there.replicaMap = {1, 3, 0, 2};
  back.replicaMap = {2, 0, 3, 1}; // the same links in the other direction
  const std::vector<wire::Exchange> bothWays{there, back}, sameWay{there, there};
  EXPECT_EQ(timing.externalExchange(bothWays, 0, 0, 4, 1).value, 1'330'000U);
  EXPECT_EQ(timing.externalExchange(sameWay, 0, 0, 4, 1).value, 2'660'000U);
}

TEST(ExternalExchangeTime, IsTheSameOnAllIpusAtOnceAsOnEachAlone) {
  for (const auto topology : {wire::Topology::Mesh, wire::Topology::Torus})
    for (const std::uint32_t replicas : {1U, 2U, 3U, 4U, 12U}) {
      wire::Exchange there = flows({{0, 1, 70'000}, {1, 0, 3'000}, {0, 0, 9}}), within = there;
      for (std::uint32_t r = 0; r < replicas; ++r)
        there.replicaMap.push_back((r * 5 + 1) % replicas);
      const TimingModel timing(config("gc200"), topology, replicas * 2);
      const std::vector<wire::Exchange> both{there, within};
      const auto all = timing.externalExchanges(both, replicas, 2);
      ASSERT_EQ(all.size(), replicas * 2);
      for (std::uint32_t ipu = 0; ipu < replicas * 2; ++ipu)
        EXPECT_EQ(all[ipu], timing.externalExchange(both, ipu % 2, ipu / 2, replicas, 2)) << ipu;
    }
}

TEST(ExternalExchangeTime, IsTheSameAtEachEvaluation) {
  const TimingModel timing(config("bow"), Topology::Torus, 16);
  std::vector<wire::Flow> all;
  for (std::uint32_t from = 0; from < 16; ++from)
    for (std::uint32_t to = 0; to < 16; ++to)
      if (from != to)
        all.push_back({from, to, 1000 + 7 * from + to});
  const auto first = timing.externalExchange(flows(all), 3, 0, 1, 16);
  std::reverse(all.begin(), all.end());
  EXPECT_EQ(timing.externalExchange(flows(all), 3, 0, 1, 16), first);
}

TEST(SyncTime, IsZeroForOneIpu) {
  EXPECT_EQ(TimingModel(config("gc200"), Topology::Mesh, 4).syncLatency({{2}}).value, 0U);
}

TEST(SyncTime, DoesNotDependOnThePartitionForASmallGroup) {
  const TimingModel mesh(config("gc200"), Topology::Mesh, 64),
      torus(config("gc200"), Topology::Torus, 64);
  const auto two = mesh.syncLatency({{4}, {5}});
  EXPECT_EQ(two, TimingModel(config("gc200"), Topology::Mesh, 2).syncLatency({{0}, {1}}));
  EXPECT_EQ(torus.syncLatency({{0}, {63}}),
            torus.syncLatency({{10}, {12}})); // neighbours over the joined ends
  EXPECT_GT(mesh.syncLatency({{0}, {63}}), torus.syncLatency({{0}, {63}}));
}

TEST(HostTime, IsLimitedByOwnAndSharedBandwidth) {
  const auto m = config("gc200");
  const TimingModel timing(m, Topology::Mesh, 8);
  const auto time = [&](wire::Direction direction, std::uint32_t replicas, bool waited) {
    const std::uint64_t bytes = 1'000'000;
    const HostLoad load = timing.hostLoad(bytes, bytes, {0, 0, replicas, 1});
    return timing.hostTransfer(direction, load, waited);
  };
  const auto alone = time(wire::Direction::ToDevice, 1, false);
  EXPECT_EQ(time(wire::Direction::ToDevice, 2, false), alone);
  EXPECT_GT(time(wire::Direction::ToDevice, 4, false), alone);
  EXPECT_NEAR(timing.seconds(time(wire::Direction::ToDevice, 1, true)) - timing.seconds(alone),
              10e-6, 1e-9);
  EXPECT_GT(time(wire::Direction::ToHost, 1, false), alone);
}

// Compares published times with the model. The table of docs/timing-model.md has the same figures.

TEST(Published, SyncWireTimesOfPopLibs) {
  auto m = config("gc200");
  m.globalSyncCycles = 0;
  const std::pair<std::uint32_t, std::uint64_t> expected[] = {{2, 40},   {4, 80},   {8, 120},
                                                              {16, 200}, {32, 360}, {64, 679}};
  for (const auto &[ipus, cycles] : expected)
    EXPECT_EQ(TimingModel(m, Topology::Mesh, ipus).syncLatency(firstIpus(ipus)).value, cycles)
        << ipus;
}

TEST(Published, GlobalSyncCycles) {
  EXPECT_EQ(TimingModel(config("gc200"), Topology::Mesh, 2).syncLatency(firstIpus(2)).value, 600U);
  EXPECT_EQ(TimingModel(config("gc2"), Topology::Mesh, 2).syncLatency(firstIpus(2)).value, 500U);
}

TEST(Published, HostSyncsOfAnM2000) {
  const TimingModel timing(config("gc200"), Topology::Mesh, 4);
  const double all = timing.seconds({4095 * (timing.hostExchangeLatency().value + 160)});
  EXPECT_THAT(all, DoubleNear(1485e-6, 0.01 * 1485e-6));
}

/// Returns the rate of both directions of a pair together [bytes/s], for a long message.
double pairRate(const char *name, std::uint32_t from, std::uint32_t to) {
  const TimingModel timing(config(name), Topology::Mesh, 4);
  const std::uint64_t bytes = 100'000'000;
  const auto time =
      timing.externalExchange(flows({{from, to, bytes}, {to, from, bytes}}), from, 0, 1, 4);
  return 2.0 * static_cast<double>(bytes) / timing.seconds(time);
}

TEST(Published, LinkTrafficOfAnM2000) {
  EXPECT_THAT(pairRate("gc200", 2, 3), DoubleNear(423.3e9 / 8, 0.01 * 423.3e9 / 8));
}

TEST(Published, LinksOfC2Cards) {
  // 192 GB/s between the two IPUs of a card: all six links, for own and crossing traffic.
  const TimingModel timing(config("gc2"), Topology::Mesh, 4);
  const auto m = timing.machine();
  EXPECT_THAT(2 * (m.rungBytesPerSecond + m.crossingBytesPerSecond),
              DoubleNear(192e9, 0.1 * 192e9));
  // 128 GB/s from card to card: both sides of the ladder.
  EXPECT_THAT(2 * pairRate("gc2", 0, 2), DoubleNear(128e9, 0.1 * 128e9));
}

TEST(Published, HostTrafficOfAnM2000) {
  const TimingModel timing(config("gc200"), Topology::Mesh, 4);
  const std::uint64_t bytes = 100'000'000;
  const double gigabits = 8e-9 * static_cast<double>(bytes);
  const HostLoad load{bytes, bytes, bytes};
  const auto rate = [&](wire::Direction direction) {
    return gigabits / timing.seconds(timing.hostTransfer(direction, load, false));
  };
  EXPECT_NEAR(rate(wire::Direction::ToDevice), 26.41, 0.01);
  EXPECT_NEAR(rate(wire::Direction::ToHost), 23.46, 0.01);
}

/// Returns the ring that uses each link once in each direction: up one side of the ladder, down the
/// other.
std::vector<std::uint32_t> ringOf(std::uint32_t ipus) {
  std::vector<std::uint32_t> ring;
  for (std::uint32_t ipu = 0; ipu < ipus; ipu += 2)
    ring.push_back(ipu);
  for (std::uint32_t ipu = ipus - 1; ipu < ipus; ipu -= 2)
    ring.push_back(ipu);
  return ring;
}

class RingAllReduce : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Replicas, RingAllReduce, ::testing::Values(2u, 4u, 8u, 16u, 32u, 64u),
                         ::testing::PrintToStringParamName());

TEST_P(RingAllReduce, TakesTheTimeOfTheFormula) {
  const std::uint32_t replicas = GetParam();
  const std::uint64_t bytes = 64 << 20;
  for (const Topology topology : {Topology::Mesh, Topology::Torus}) {
    const TimingModel timing(config("gc200"), topology, replicas);
    const auto ring = ringOf(replicas);
    auto hop = flows({{0, 0, bytes / replicas}});
    hop.replicaMap.resize(replicas);
    for (std::uint32_t i = 0; i < replicas; ++i)
      hop.replicaMap[ring[i]] = ring[(i + 1) % replicas];
    // Follows the control programs: all leave a sync point, and then send.
    std::uint64_t sum = 0;
    for (std::uint32_t step = 0; step < 2 * (replicas - 1); ++step) {
      std::uint64_t slowest = 0;
      for (std::uint32_t r = 0; r < replicas; ++r)
        slowest = std::max(slowest, timing.externalExchange(hop, 0, r, replicas, 1).value);
      sum += timing.syncLatency(firstIpus(replicas)).value + slowest;
    }
    // 2 (R-1)/R x bytes / bandwidth + 2 x latency
    const auto &m = timing.machine();
    const double hops = 2.0 * (replicas - 1);
    const double latency =
        static_cast<double>(timing.syncLatency(firstIpus(replicas)).value + m.hopLatencyCycles) /
        m.tileClockHz;
    const double bandwidth = replicas == 2 ? m.rungBytesPerSecond : m.ladderBytesPerSecond;
    const double formula =
        hops / replicas * static_cast<double>(bytes) / bandwidth + hops * latency;
    EXPECT_THAT(timing.seconds({sum}), DoubleNear(formula, 0.02 * formula));
  }
}

TEST(Published, ConstantsOfOneChip) {
  for (const char *name : {"gc2", "gc200", "bow"}) {
    const auto m = config(name);
    EXPECT_EQ(m.exchangeBytesPerCycle, 4u) << name;
    EXPECT_EQ(m.memcpyBytesPerCycle, 8u) << name;
    EXPECT_LE(m.internalSyncCycles, 126u) << name << ": getMaxIPUSyncDelay";
  }
}

TEST(Published, ASmallExchangeOfAPlanner) {
  auto m = config("gc200");
  wire::Exchange exchange;
  exchange.moves = {{{0, 0}, {1, 0}, 64, 1, 0, 0}};
  EXPECT_EQ(TimingModel(m, Topology::Mesh, 1).internalExchange(exchange).value -
                m.internalSyncCycles,
            100U + 64 / 4);
}

} // namespace
} // namespace copse::clock
