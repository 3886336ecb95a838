#include "fabric/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace copse::fabric {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using wire::IpuId;
using wire::Topology;

TEST(Partition, TakesUpTo256Ipus) {
  for (std::uint32_t ipus = 0; ipus <= 300; ++ipus)
    EXPECT_EQ(checkPartition(ipus).ok(), ipus >= 1 && ipus <= 256) << ipus;
  const wire::Status status = checkPartition(257);
  EXPECT_EQ(status.code, wire::Code::InvalidOption);
  EXPECT_THAT(status.message, HasSubstr("257 IPUs"));
}

TEST(Neighbours, TheLastOfAnOddNumberHasNoneOnItsRung) {
  for (const Topology topology : {Topology::Mesh, Topology::Torus}) {
    EXPECT_THAT(neighbours({topology, 7}, {6}), ElementsAre(IpuId{4}));
    EXPECT_THAT(neighbours({topology, 7}, {5}), ElementsAre(IpuId{3}, IpuId{4}));
    EXPECT_THAT(neighbours({topology, 3}, {0}), ElementsAre(IpuId{1}, IpuId{2}));
  }
}

TEST(Neighbours, OneIpuHasNone) {
  EXPECT_THAT(neighbours({Topology::Mesh, 1}, {0}), IsEmpty());
  EXPECT_THAT(neighbours({Topology::Torus, 1}, {0}), IsEmpty());
}

TEST(Neighbours, MeshEndsHaveTwo) {
  EXPECT_THAT(neighbours({Topology::Mesh, 8}, {0}), ElementsAre(IpuId{1}, IpuId{2}));
  EXPECT_THAT(neighbours({Topology::Mesh, 8}, {7}), ElementsAre(IpuId{5}, IpuId{6}));
  EXPECT_THAT(neighbours({Topology::Mesh, 8}, {3}), ElementsAre(IpuId{1}, IpuId{2}, IpuId{5}));
}

TEST(Neighbours, TorusJoinsTheEnds) {
  EXPECT_THAT(neighbours({Topology::Torus, 8}, {0}), ElementsAre(IpuId{1}, IpuId{2}, IpuId{6}));
  EXPECT_THAT(neighbours({Topology::Torus, 8}, {7}), ElementsAre(IpuId{1}, IpuId{5}, IpuId{6}));
}

TEST(Neighbours, SmallTorusIsWiredAsTheMesh) {
  for (const std::uint32_t ipus : {2u, 4u})
    for (std::uint32_t i = 0; i < ipus; ++i)
      EXPECT_EQ(neighbours({Topology::Torus, ipus}, {i}), neighbours({Topology::Mesh, ipus}, {i}));
}

TEST(Neighbours, IncludeTheSamePlaceOfNeighbouringDomains) {
  const Wiring loop{Topology::Torus, 32, 8};
  EXPECT_THAT(neighbours(loop, {0}),
              ElementsAre(IpuId{1}, IpuId{2}, IpuId{6}, IpuId{8}, IpuId{24}));
  EXPECT_THAT(neighbours(loop, {13}),
              ElementsAre(IpuId{5}, IpuId{11}, IpuId{12}, IpuId{15}, IpuId{21}));
  const Wiring pair{Topology::Mesh, 16, 8};
  EXPECT_THAT(neighbours(pair, {9}), ElementsAre(IpuId{1}, IpuId{8}, IpuId{11}));
}

TEST(Neighbours, BehindASwitchAreThoseInTheSamePlaceOfAllDomains) {
  EXPECT_THAT(neighbours({Topology::Mesh, 32, 8, true}, {8}),
              ElementsAre(IpuId{0}, IpuId{9}, IpuId{10}, IpuId{16}, IpuId{24}));
}

TEST(Neighbours, ShareTheIpusOfASmallerDomain) {
  const Wiring wiring{Topology::Mesh, 12, 8};
  EXPECT_THAT(neighbours(wiring, {6}), ElementsAre(IpuId{4}, IpuId{7}, IpuId{10}));
  EXPECT_THAT(neighbours(wiring, {10}), ElementsAre(IpuId{2}, IpuId{6}, IpuId{8}, IpuId{11}));
}

TEST(Neighbours, EveryLinkHasTwoEnds) {
  for (const Topology topology : {Topology::Mesh, Topology::Torus})
    for (std::uint32_t ipus = 2; ipus <= kMaxIpusOfDomain; ipus += 2)
      for (std::uint32_t i = 0; i < ipus; ++i)
        for (const IpuId other : neighbours({topology, ipus}, {i})) {
          const auto back = neighbours({topology, ipus}, other);
          EXPECT_EQ(std::count(back.begin(), back.end(), IpuId{i}), 1);
        }
}

} // namespace
} // namespace copse::fabric
