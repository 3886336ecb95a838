#include "fabric/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>

namespace copse::fabric {
namespace {

using wire::IpuId;
using wire::Topology;

// IPUs 2r and 2r+1 make rung r of the ladder.  Source: guide, 2.7.1; PopLibs' IPUModel constraints.
const struct HopCase {
  const char *name;
  Topology topology;
  IpuId from, to;
  unsigned hops;
} kHopCases[] = {
    {"ToItself", Topology::Mesh, {3}, {3}, 0},
    {"AcrossTheRung", Topology::Mesh, {4}, {5}, 1},
    {"OneRungUp", Topology::Mesh, {2}, {4}, 1},
    {"MeshEndToEnd", Topology::Mesh, {0}, {7}, 4},
    {"MeshEndToEndBack", Topology::Mesh, {7}, {0}, 4},
    {"TorusWrapsRound", Topology::Torus, {0}, {6}, 1},
    {"TorusWrapsRoundDiagonally", Topology::Torus, {0}, {7}, 2},
    {"TorusHalfWay", Topology::Torus, {0}, {4}, 2},
};
class RouterHops : public ::testing::TestWithParam<HopCase> {};
TEST_P(RouterHops, TakesTheFewest) {
  const auto &c = GetParam();
  EXPECT_EQ(Router({c.topology, 8}).hops(c.from, c.to), c.hops);
}
INSTANTIATE_TEST_SUITE_P(Ladder, RouterHops, ::testing::ValuesIn(kHopCases),
                         [](const auto &p) { return p.param.name; });

TEST(Router, CrossesItsOwnRungFirst) {
  const auto route = Router({Topology::Mesh, 8}).route({1}, {6});
  EXPECT_THAT(route, ::testing::ElementsAre(LinkUse{{1}, {0}, 0}, LinkUse{{0}, {2}, 0},
                                            LinkUse{{2}, {4}, 0}, LinkUse{{4}, {6}, 0}));
}

TEST(Router, GoesUpIfBothDirectionsAreEquallyLong) {
  const auto route = Router({Topology::Torus, 8}).route({4}, {0});
  EXPECT_THAT(route, ::testing::ElementsAre(LinkUse{{4}, {6}, 0}, LinkUse{{6}, {0}, 1}));
}

TEST(Router, ChangesChannelAtTheDatelineAndKeepsIt) {
  const auto route = Router({Topology::Torus, 12}).route({3}, {9});
  EXPECT_EQ(route.size(), 3u); // up: 5, 7, 9
  const auto wrapped = Router({Topology::Torus, 12}).route({3}, {11});
  EXPECT_THAT(wrapped, ::testing::ElementsAre(LinkUse{{3}, {1}, 0}, LinkUse{{1}, {11}, 1}));
  const auto onwards = Router({Topology::Torus, 12}).route({8}, {2});
  EXPECT_THAT(onwards, ::testing::ElementsAre(LinkUse{{8}, {10}, 0}, LinkUse{{10}, {0}, 1},
                                              LinkUse{{0}, {2}, 1}));
}

// The rest holds for every size and topology.
class EveryPartition : public ::testing::TestWithParam<Topology> {
protected:
  template <class F> void forEverySize(F &&f) {
    for (std::uint32_t ipus = 1; ipus <= kMaxIpusOfDomain; ++ipus)
      f(ipus);
  }
};
INSTANTIATE_TEST_SUITE_P(Topologies, EveryPartition,
                         ::testing::Values(Topology::Mesh, Topology::Torus), [](const auto &p) {
                           return p.param == Topology::Mesh ? "Mesh" : "Torus";
                         });

// Length of the shortest path, by breadth-first search.
std::vector<unsigned> distances(Topology topology, std::uint32_t ipus, IpuId from) {
  std::vector<unsigned> distance(ipus, ~0u);
  distance[from.value] = 0;
  for (std::deque<IpuId> open{from}; !open.empty(); open.pop_front())
    for (const IpuId there : neighbours({topology, ipus}, open.front()))
      if (distance[there.value] == ~0u) {
        distance[there.value] = distance[open.front().value] + 1;
        open.push_back(there);
      }
  return distance;
}

TEST_P(EveryPartition, RoutesAreShortestPathsOverRealLinks) {
  forEverySize([&](std::uint32_t ipus) {
    const Router router({GetParam(), ipus});
    for (std::uint32_t from = 0; from < ipus; ++from) {
      const auto shortest = distances(GetParam(), ipus, {from});
      for (std::uint32_t to = 0; to < ipus; ++to) {
        const auto route = router.route({from}, {to});
        ASSERT_EQ(route.size(), shortest[to]) << from << " to " << to << " of " << ipus;
        IpuId at{from};
        for (const LinkUse &use : route) {
          const auto near = neighbours({GetParam(), ipus}, at);
          ASSERT_EQ(use.from, at);
          ASSERT_TRUE(std::binary_search(near.begin(), near.end(), use.to));
          at = use.to;
        }
        ASSERT_EQ(at, IpuId{to});
      }
    }
  });
}

// A channel waits for the next one of a route that uses both. Kahn: what is left after taking away
// channels that wait for nothing is a circle.
bool hasCircle(std::map<LinkUse, std::set<LinkUse>> waitsFor) {
  for (bool progress = true; progress;) {
    progress = false;
    for (auto channel = waitsFor.begin(); channel != waitsFor.end();) {
      if (!channel->second.empty()) {
        ++channel;
        continue;
      }
      const LinkUse gone = channel->first;
      channel = waitsFor.erase(channel);
      for (auto &[other, needs] : waitsFor)
        needs.erase(gone);
      progress = true;
    }
  }
  return !waitsFor.empty();
}

std::map<LinkUse, std::set<LinkUse>> dependencies(const Router &router, bool oneChannel) {
  std::map<LinkUse, std::set<LinkUse>> waitsFor;
  for (std::uint32_t from = 0; from < router.ipus(); ++from)
    for (std::uint32_t to = 0; to < router.ipus(); ++to) {
      auto route = router.route({from}, {to});
      for (std::size_t i = 0; i < route.size(); ++i) {
        if (oneChannel)
          route[i].channel = 0;
        waitsFor[route[i]];
        if (i > 0)
          waitsFor[route[i - 1]].insert(route[i]);
      }
    }
  return waitsFor;
}

TEST_P(EveryPartition, ChannelsNeverWaitForOneAnotherInACircle) {
  forEverySize([&](std::uint32_t ipus) {
    EXPECT_FALSE(hasCircle(dependencies(Router({GetParam(), ipus}), false))) << ipus;
  });
}

TEST(Router, GoesThroughGatewaysFirst) {
  EXPECT_THAT(Router({Topology::Mesh, 16, 8}).route({1}, {12}),
              ::testing::ElementsAre(LinkUse{{1}, {9}, 0}, LinkUse{{9}, {8}, 0},
                                     LinkUse{{8}, {10}, 0}, LinkUse{{10}, {12}, 0}));
}

TEST(Router, TakesTheShorterDirectionRoundALoopOfDomains) {
  const Router loop({Topology::Mesh, 32, 8});
  EXPECT_THAT(loop.route({3}, {19}),
              ::testing::ElementsAre(LinkUse{{3}, {11}, 0}, LinkUse{{11}, {19}, 0}));
  EXPECT_THAT(loop.route({3}, {27}), ::testing::ElementsAre(LinkUse{{3}, {27}, 1}));
  EXPECT_EQ(Router({Topology::Mesh, 32, 8, true}).hops({3}, {19}), 1u);
}

TEST(Router, BeginsOnChannelZeroBehindTheGateways) {
  const auto route = Router({Topology::Torus, 32, 8}).route({26}, {0});
  EXPECT_THAT(route, ::testing::ElementsAre(LinkUse{{26}, {2}, 1}, LinkUse{{2}, {0}, 0}));
}

// Loops and switches of domains, also with a smaller last domain.
class PartitionOfDomains : public ::testing::TestWithParam<Wiring> {};
INSTANTIATE_TEST_SUITE_P(Wirings, PartitionOfDomains,
                         ::testing::Values(Wiring{Topology::Torus, 24, 12},
                                           Wiring{Topology::Torus, 36, 12},
                                           Wiring{Topology::Torus, 40, 8},
                                           Wiring{Topology::Mesh, 40, 8, true},
                                           Wiring{Topology::Torus, 34, 12}));

TEST_P(PartitionOfDomains, RoutesLeadOverRealLinks) {
  const Router router(GetParam());
  for (std::uint32_t from = 0; from < router.ipus(); ++from)
    for (std::uint32_t to = 0; to < router.ipus(); ++to)
      for (const LinkUse &use : router.route({from}, {to})) {
        const auto near = neighbours(GetParam(), use.from);
        ASSERT_TRUE(std::binary_search(near.begin(), near.end(), use.to)) << from << " to " << to;
      }
}

TEST_P(PartitionOfDomains, ChannelsNeverWaitForOneAnotherInACircle) {
  EXPECT_FALSE(hasCircle(dependencies(Router(GetParam()), false)));
}

TEST(Router, NeedsTwoChannelsForALoopOfDomains) {
  EXPECT_TRUE(hasCircle(dependencies(Router({Topology::Mesh, 10, 2}), true)));
}

TEST(Router, NeedsTwoChannelsForATorus) {
  EXPECT_TRUE(hasCircle(dependencies(Router({Topology::Torus, 16}), true)));
}

} // namespace
} // namespace copse::fabric
