#include "group_memory.hpp"
#include "own_cores.hpp"

#include "fabric/shared_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fcntl.h>
#include <memory>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace copse::sync {
namespace {

using namespace std::chrono_literals;
using test::ownCores;
using test::runOn;
using ::testing::HasSubstr;
using wire::Code;
using wire::Cycles;

constexpr Cycles kLatencyOfGroup{10};

fabric::Descriptor again(const GroupMemory &memory) {
  return fabric::Descriptor(::fcntl(memory.memory().descriptor(), F_DUPFD_CLOEXEC, 0));
}

/// Returns the ends of all members of a group that meets in memory from sync point 1 on.
std::vector<std::shared_ptr<GroupMemory>> groupOf(std::size_t members) {
  std::vector<std::shared_ptr<GroupMemory>> ends{*GroupMemory::create(members)};
  while (ends.size() < members)
    ends.push_back(*GroupMemory::adopt(again(*ends.front()), members));
  for (std::size_t member = 0; member < members; ++member)
    ends[member]->takePlace(member);
  EXPECT_TRUE(ends.front()->allHavePlaces());
  ends.front()->begin(1);
  for (const auto &end : ends)
    EXPECT_TRUE(!end->isUsedFor(0) && end->isUsedFor(1));
  return ends;
}

/// Returns a 64-bit word of the memory, as a malicious process could write it.
std::uint64_t &wordAt(const GroupMemory &end, std::size_t byte) {
  return *reinterpret_cast<std::uint64_t *>(end.memory().data() + byte);
}
constexpr std::size_t kArrivalsAt = 64, kLeftAt = 128; ///< offsets of the counts [bytes]

TEST(GroupMemory, LastArrivalDeterminesTheLeaveTime) {
  const auto ends = groupOf(3);
  EXPECT_TRUE(ends[1]->arrive(1, 1, {{70}, 4}, kLatencyOfGroup).ok());
  EXPECT_TRUE(ends[0]->arrive(0, 1, {{90}, 4}, kLatencyOfGroup).ok());
  EXPECT_FALSE(ends[1]->left(1)->has_value());
  EXPECT_TRUE(ends[2]->arrive(2, 1, {{80}, 4}, kLatencyOfGroup).ok());
  for (const auto &end : ends)
    EXPECT_EQ(**end->left(1), Cycles{100});
}

TEST(GroupMemory, DifferentStepsLetNoMemberLeave) {
  const auto ends = groupOf(2);
  EXPECT_TRUE(ends[0]->arrive(0, 1, {{7}, 4}, kLatencyOfGroup).ok());
  EXPECT_TRUE(ends[1]->arrive(1, 1, {{7}, 5}, kLatencyOfGroup).ok());
  for (const auto &end : ends) {
    EXPECT_TRUE(end->stepsDiffer(1));
    EXPECT_FALSE(end->left(1)->has_value());
  }
}

TEST(GroupMemory, ImpossibleCountsDisconnect) {
  auto ends = groupOf(2);
  wordAt(*ends[1], kArrivalsAt) = 77;
  EXPECT_EQ(ends[0]->arrive(0, 1, {{7}}, kLatencyOfGroup).code, Code::Disconnected);

  ends = groupOf(2);
  wordAt(*ends[1], kArrivalsAt) = 1; // the other has not arrived
  EXPECT_EQ(ends[0]->arrive(0, 1, {{7}}, kLatencyOfGroup).code, Code::Disconnected);

  ends = groupOf(2);
  wordAt(*ends[1], kLeftAt) = 9;
  const auto left = ends[0]->left(1);
  EXPECT_EQ(left.status().code, Code::Disconnected);
  EXPECT_THAT(left.status().message, HasSubstr("corrupt"));
}

TEST(GroupMemory, OtherMemoryIsRefused) {
  auto other = fabric::SharedMemory::create("other", 4096);
  ASSERT_TRUE(other.ok());
  fabric::Descriptor descriptor(::fcntl(other->descriptor(), F_DUPFD_CLOEXEC, 0));
  EXPECT_EQ(GroupMemory::adopt(std::move(descriptor), 2).status().code, Code::BadFrame);
  EXPECT_EQ(GroupMemory::adopt(fabric::Descriptor(), 2).status().code, Code::BadFrame);
}

void arriveOn(int core, GroupMemory &end, std::size_t member, std::uint64_t point) {
  std::thread([&] {
    runOn(core);
    EXPECT_TRUE(end.arrive(member, point, {{7}, 1}, kLatencyOfGroup).ok());
  }).join();
}

TEST(GroupMemory, CoreIsAwaitedUntilItsMembersArrive) {
  const int core = ownCores().front();
  const auto ends = groupOf(2);
  for (const std::uint64_t point : {1, 2}) {
    arriveOn(core, *ends[0], 0, point);
    EXPECT_EQ(ends[0]->coreIsAwaited(), point == 2)
        << "it is not known where a member will be first";
    arriveOn(core, *ends[1], 1, point);
    EXPECT_FALSE(ends[0]->coreIsAwaited());
  }
}

TEST(GroupMemory, CoreIsNotAwaitedByMembersOnOtherCores) {
  const auto cores = ownCores();
  if (cores.size() < 2)
    GTEST_SKIP() << "there is one core only";
  const auto ends = groupOf(2);
  for (const std::uint64_t point : {1, 2}) {
    arriveOn(cores[0], *ends[0], 0, point);
    EXPECT_FALSE(ends[0]->coreIsAwaited()) << point;
    arriveOn(cores[1], *ends[1], 1, point);
  }
}

TEST(GroupMemory, AlertWakesASleepingMember) {
  const auto ends = groupOf(2);
  std::thread sleeper([&, seen = ends[0]->events()] {
    while (ends[0]->events() == seen)
      ends[0]->awaitEvent(seen, GroupMemory::Clock::now() + 60s);
  });
  std::this_thread::sleep_for(20ms); // most likely it sleeps by now
  ends[1]->alert();
  sleeper.join();
}

TEST(GroupMemory, ProcessesMeetWithoutAMessage) {
  constexpr std::size_t kMembers = 5;
  constexpr std::uint64_t kPoints = 2000;
  const auto ends = groupOf(kMembers);
  const auto work = [&](std::size_t member) {
    GroupMemory &end = *ends[member];
    for (std::uint64_t point = 1; point <= kPoints; ++point) {
      std::uint32_t seen = end.events();
      if (!end.arrive(member, point, {{point * 100 + member}, 1}, kLatencyOfGroup).ok())
        return false;
      for (;; seen = end.events()) {
        const auto left = end.left(point);
        if (!left)
          return false;
        if (*left && **left != Cycles{point * 100 + kMembers - 1} + kLatencyOfGroup)
          return false;
        if (*left)
          break;
        if (!end.spinForEvent(seen))
          end.awaitEvent(seen, GroupMemory::Clock::now() + 60s);
      }
    }
    return true;
  };
  std::vector<pid_t> others;
  for (std::size_t member = 1; member < kMembers; ++member) {
    others.push_back(::fork());
    if (others.back() == 0)
      ::_exit(work(member) ? 0 : 1);
  }
  EXPECT_TRUE(work(0));
  for (const pid_t other : others) {
    int status = -1;
    EXPECT_EQ(::waitpid(other, &status, 0), other);
    EXPECT_EQ(status, 0);
  }
}

} // namespace
} // namespace copse::sync
