// Waits of a moment: when they spin, for how long, and when they sleep at once.
#include "fabric/spinning.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace copse::fabric {
namespace {

using namespace std::chrono_literals;
using Clock = Spinning::Clock;

class Spins : public ::testing::Test {
protected:
  void SetUp() override {
    if (std::thread::hardware_concurrency() < 2)
      GTEST_SKIP() << "nothing spins on one core";
  }
};

/// Something that never comes, and counts how often somebody looks.
struct Never {
  int looks = 0;
  bool operator()() {
    ++looks;
    return false;
  }
};

TEST(Spinning, EndsAtOnceWithWhatHasComeBefore) {
  EXPECT_TRUE(Spinning().until([] { return true; }, Clock::now()));
}

TEST_F(Spins, SeeWhatComesMeanwhile) {
  int looks = 0;
  Spinning spinning(Spinning::Others::Awaited);
  EXPECT_TRUE(spinning.until([&] { return ++looks == 3; }, Clock::now() + 1min));
}

TEST_F(Spins, LastAsManyTurnsAsProcessesShareACore) {
  constexpr unsigned kPerCore = 20;
  Spinning spinning(Spinning::Others::Awaited, kPerCore);
  Never never;
  const auto start = Clock::now();
  EXPECT_FALSE(spinning.until([&] { return never(); }, start + 1min));
  EXPECT_GE(Clock::now() - start, kPerCore * 30us);
}

TEST_F(Spins, EndAtTheDeadline) {
  Spinning spinning(Spinning::Others::Awaited);
  Never never;
  EXPECT_FALSE(spinning.until([&] { return never(); }, Clock::now() - 1s));
  EXPECT_LE(never.looks, 2);
}

TEST_F(Spins, PauseAfterAWaitInVainTwiceAsLongEachTime) {
  Spinning spinning(Spinning::Others::Awaited);
  const auto looks = [&] {
    Never never;
    EXPECT_FALSE(spinning.until([&] { return never(); }, Clock::now() + 1min));
    return never.looks;
  };
  for (int pauses = 1; pauses <= 8; pauses *= 2) {
    EXPECT_GT(looks(), 2) << "it spins";
    for (int pause = 0; pause < pauses; ++pause)
      EXPECT_EQ(looks(), 1) << "it sleeps at once, pause " << pause << " of " << pauses;
  }
}

TEST_F(Spins, BeginAnewAfterASuccess) {
  Spinning spinning(Spinning::Others::Awaited);
  const auto looks = [&](bool comes) {
    int count = 0;
    (void)spinning.until([&] { return ++count > 2 && comes; }, Clock::now() + 1min);
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
