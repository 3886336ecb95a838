#include "sync/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace copse::sync {
namespace {

using ::testing::ElementsAre;
using wire::SyncConfiguration;
using wire::SyncGroup;

constexpr auto kAll = SyncConfiguration::IntraReplicaAndAll;
constexpr auto kIpu = SyncConfiguration::IpuAndAll;
constexpr auto kLadder = SyncConfiguration::IntraReplicaAndLadder;

// The table of docs/sync-groups.md.  Source: guide, 2.7.2, table and bullets.
const struct Cell {
  const char *name;
  SyncConfiguration configuration;
  bool independently;
  SyncGroup withinReplica, betweenReplicas, remoteBuffer, host;
} kTable[] = {
    {"AllTogether", kAll, false, SyncGroup::GS1, SyncGroup::GS2, SyncGroup::GS1, SyncGroup::GS2},
    {"AllOnTheirOwn", kAll, true, SyncGroup::GS1, SyncGroup::GS2, SyncGroup::GS1, SyncGroup::GS1},
    {"IpuTogether", kIpu, false, SyncGroup::GS2, SyncGroup::GS2, SyncGroup::GS1, SyncGroup::GS2},
    {"IpuOnTheirOwn", kIpu, true, SyncGroup::GS2, SyncGroup::GS2, SyncGroup::GS1, SyncGroup::GS1},
    {"LadderTogether", kLadder, false, SyncGroup::GS1, SyncGroup::All, SyncGroup::GS1,
     SyncGroup::GS2},
    {"LadderOnTheirOwn", kLadder, true, SyncGroup::GS1, SyncGroup::All, SyncGroup::GS1,
     SyncGroup::GS1},
};
class SyncGroupTable : public ::testing::TestWithParam<Cell> {};
INSTANTIATE_TEST_SUITE_P(Guide, SyncGroupTable, ::testing::ValuesIn(kTable),
                         [](const auto &p) { return p.param.name; });

TEST_P(SyncGroupTable, ShowsTheGroupOfEachStep) {
  const Scheme scheme{GetParam().configuration, GetParam().independently, false};
  EXPECT_EQ(groupFor(Purpose::WithinReplica, scheme), GetParam().withinReplica);
  EXPECT_EQ(groupFor(Purpose::BetweenReplicas, scheme), GetParam().betweenReplicas);
  EXPECT_EQ(groupFor(Purpose::RemoteBuffer, scheme), GetParam().remoteBuffer);
  EXPECT_EQ(groupFor(Purpose::Host, scheme), GetParam().host);
}

TEST(SoftwareSync, LeavesNoSyncPointAtTheHost) {
  const Scheme scheme{kAll, false, true};
  EXPECT_EQ(groupFor(Purpose::Host, scheme), std::nullopt);
  EXPECT_EQ(groupFor(Purpose::RemoteBuffer, scheme), SyncGroup::GS1);
  EXPECT_EQ(groupFor(Purpose::BetweenReplicas, scheme), SyncGroup::GS2);
}

std::vector<std::uint32_t> members(SyncGroup group, SyncConfiguration configuration,
                                   const Replication &replication, std::uint32_t self) {
  std::vector<std::uint32_t> numbers;
  for (const wire::IpuId member : membersOf(group, configuration, replication, {self}))
    numbers.push_back(member.value);
  return numbers;
}

TEST(SyncMembers, AreTheReplicaAndAll) {
  EXPECT_THAT(members(SyncGroup::GS1, kAll, {2, 2}, 2), ElementsAre(2, 3));
  EXPECT_THAT(members(SyncGroup::GS2, kAll, {2, 2}, 2), ElementsAre(0, 1, 2, 3));
}

TEST(SyncMembers, AreTheIpuAndAll) {
  EXPECT_THAT(members(SyncGroup::GS1, kIpu, {2, 2}, 2), ElementsAre(2));
  EXPECT_THAT(members(SyncGroup::GS2, kIpu, {2, 2}, 2), ElementsAre(0, 1, 2, 3));
}

TEST(SyncMembers, AreTheReplicaAndOneSideOfTheLadder) {
  EXPECT_THAT(members(SyncGroup::GS1, kLadder, {2, 4}, 5), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(members(SyncGroup::GS2, kLadder, {2, 4}, 5), ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(members(SyncGroup::GS2, kLadder, {1, 2}, 0), ElementsAre(0));
  EXPECT_THAT(members(SyncGroup::All, kLadder, {4, 1}, 2), ElementsAre(0, 1, 2, 3));
}

TEST(SyncMembers, AreTheSameForAllMembers) {
  for (const SyncConfiguration configuration : {kAll, kIpu, kLadder})
    for (const SyncGroup group : groupsOf(configuration))
      for (std::uint32_t self = 0; self < 8; ++self)
        for (const std::uint32_t other : members(group, configuration, {4, 2}, self))
          EXPECT_EQ(members(group, configuration, {4, 2}, other),
                    members(group, configuration, {4, 2}, self));
}

} // namespace
} // namespace copse::sync
