#include "divergence_watch.hpp"

#include <gmock/gmock.h>

namespace copse::session {
namespace {

using wire::SyncGroup;
using wire::session::Done;
using wire::session::Waiting;

// Two replicas of two IPUs: GS1 is a replica, GS2 consists of all IPUs.
const DivergenceWatch::Groups kGroups = {
    {{SyncGroup::GS1, {0, 1}}, {SyncGroup::GS2, {0, 1, 2, 3}}},
    {{SyncGroup::GS1, {0, 1}}, {SyncGroup::GS2, {0, 1, 2, 3}}},
    {{SyncGroup::GS1, {2, 3}}, {SyncGroup::GS2, {0, 1, 2, 3}}},
    {{SyncGroup::GS1, {2, 3}}, {SyncGroup::GS2, {0, 1, 2, 3}}},
};

Done doneAfter(std::uint64_t gs1, std::uint64_t gs2) {
  Done done;
  done.gs1 = gs1;
  done.gs2 = gs2;
  return done;
}

TEST(DivergenceWatch, NamesTheWaitingReplicaItsStepAndTheOther) {
  DivergenceWatch watch(kGroups, 2);
  watch.waits(0, {SyncGroup::GS2, 5, "step 7, before exchange 'x'"});
  EXPECT_TRUE(watch.verdict().ok()) << "the others may still come";
  watch.ended(3, doneAfter(9, 5));
  const wire::Status status = watch.verdict();
  EXPECT_EQ(status.code, wire::Code::VertexFault);
  EXPECT_THAT(status.message,
              ::testing::HasSubstr("replica 0 (ipu 0) waits at step 7, before exchange 'x', for "
                                   "replica 1 (ipu 3), which has ended"));
}

TEST(DivergenceWatch, IgnoresReplicasThatHavePassedThePoint) {
  DivergenceWatch watch(kGroups, 2);
  watch.waits(0, {SyncGroup::GS2, 5, "step 7"});
  watch.ended(3, doneAfter(0, 6));
  EXPECT_TRUE(watch.verdict().ok()) << "the notice is older than the end of the run";
}

TEST(DivergenceWatch, KnowsTheGroups) {
  DivergenceWatch watch(kGroups, 2);
  watch.waits(0, {SyncGroup::GS1, 5, "step 7"});
  watch.ended(3, doneAfter(0, 0));
  EXPECT_TRUE(watch.verdict().ok()) << "ipu 3 is in another group";
  watch.ended(1, doneAfter(5, 100));
  EXPECT_FALSE(watch.verdict().ok()) << "its sync points of GS2 do not count";
}

} // namespace
} // namespace copse::session
