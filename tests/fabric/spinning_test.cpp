// Waits of a moment: when they spin, for how long, and when they sleep at once.
#include "fabric/spinning.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Spins : public ::testing::Test {
protected:
  void SetUp() override {
    if (std::thread::hardware_concurrency() < 2)
      GTEST_SKIP() << "nothing spins on one core";
  }
};

/// A condition that never holds, and counts how often it is checked.
struct Never {
  int looks = 0;
  bool operator()() {
    ++looks;
    return false;
  }
};

/// Waits where another process needs the core.
bool takesTurns(Spinning &spinning, const Spinning::Condition &come) {
  return spinning.untilOthers(come, [] { return true; });
}

TEST(Spinning, EndsAtOnceIfTheConditionHolds) {
  EXPECT_TRUE(Spinning().until([] { return true; }, Clock::now()));
}

TEST_F(Spins, EndWhenTheConditionComesTrue) {
  int looks = 0;
  Spinning spinning;
  EXPECT_TRUE(takesTurns(spinning, [&] { return ++looks == 3; }));
}

TEST_F(Spins, LastAsManyTurnsAsProcessesShareACore) {
  constexpr unsigned kPerCore = 20;
  Spinning spinning(Spinning::Others::Unrelated, kPerCore);
  Never never;
  const auto start = Clock::now();
  EXPECT_FALSE(takesTurns(spinning, [&] { return never(); }));
  EXPECT_GE(Clock::now() - start, kPerCore * 30us);
}

/// Returns how many checks precede the core's third turn, depending on whether the core is awaited.
int looksInThreeTurns(bool coreIsAwaited) {
  int looks = 0, turns = 0, looksBefore = 0;
  const auto come = [&] {
    ++looks;
    return turns == 3;
  };
  const auto awaited = [&] {
    if (++turns == 3)
      looksBefore = looks;
    return coreIsAwaited;
  };
  EXPECT_TRUE(Spinning().untilOthers(come, awaited));
  return looksBefore;
}

TEST_F(Spins, PollOnceInATurnIfAnotherProcessNeedsTheCore) {
  EXPECT_EQ(looksInThreeTurns(true), 4) << "once before the first turn";
  EXPECT_GT(looksInThreeTurns(false), 8);
}

TEST_F(Spins, EndWithinATurnAfterTheDeadline) {
  Spinning spinning;
  Never never;
  constexpr int kLooksOfATurn = 16;
  EXPECT_FALSE(spinning.until([&] { return never(); }, Clock::now() - 1s));
  EXPECT_LE(never.looks, kLooksOfATurn + 2) << "one before, and one after";
}

TEST_F(Spins, DelayTheFirstYieldAfterAShortWait) {
  Spinning spinning;
  int looks = 0;
  EXPECT_TRUE(spinning.until([&] { return ++looks == 5; }, Clock::now() + 1s));
  Never never;
  EXPECT_FALSE(spinning.until([&] { return never(); }, Clock::now() - 1s));
  EXPECT_GE(never.looks, 64);
}

TEST_F(Spins, PauseTwiceAsLongAfterEachFailedWait) {
  Spinning spinning;
  const auto looks = [&] {
    Never never;
    EXPECT_FALSE(takesTurns(spinning, [&] { return never(); }));
    return never.looks;
  };
  for (int pauses = 1; pauses <= 8; pauses *= 2) {
    EXPECT_GT(looks(), 2) << "it spins";
    for (int pause = 0; pause < pauses; ++pause)
      EXPECT_EQ(looks(), 1) << "it sleeps at once, pause " << pause << " of " << pauses;
  }
}

TEST_F(Spins, ResetTheirPauseAfterASuccess) {
  Spinning spinning;
  const auto looks = [&](bool comes) {
    int count = 0;
    (void)takesTurns(spinning, [&] { return ++count > 2 && comes; });
    return count;
  };
  EXPECT_GT(looks(false), 2);
  EXPECT_EQ(looks(false), 1);
  EXPECT_EQ(looks(true), 3);
  EXPECT_GT(looks(false), 2);
  EXPECT_EQ(looks(false), 1) << "one pause, as after the first wait in vain";
  EXPECT_GT(looks(false), 2);
}

} // namespace
} // namespace copse::fabric
