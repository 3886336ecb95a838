#include "home_core.hpp"
#include "own_cores.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace copse::sync {
namespace {

using test::ownCores;
using test::runOn;

/// As many processes as make it worth a home.
std::size_t crowd() { return 4 * ownCores().size(); }

class HomeCores : public ::testing::Test {
protected:
  void SetUp() override {
    if (ownCores().size() < 2)
      GTEST_SKIP() << "there is one core only";
  }
};

TEST_F(HomeCores, AreTakenInTurn) {
  const auto cores = ownCores();
  for (std::size_t number = 0; number < crowd(); ++number)
    std::thread([&] {
      const auto home = HomeCore::of(number, crowd());
      ASSERT_TRUE(home);
      const int expected = cores[number % cores.size()];
      bool isThere = false;
      for (int tries = 0; tries < 20 && !isThere; ++tries) { // the kernel may move it on at once
        home->go();
        isThere = ::sched_getcpu() == expected;
      }
      EXPECT_TRUE(isThere) << number;
      EXPECT_EQ(ownCores(), cores) << "it may go on elsewhere";
    }).join();
}

TEST_F(HomeCores, AreLeftToThreadsThatMayBeThere) {
  const auto cores = ownCores();
  std::thread([&] {
    const auto home = HomeCore::of(0, crowd());
    ASSERT_TRUE(home);
    runOn(cores[1]);
    home->go();
    EXPECT_EQ(::sched_getcpu(), cores[1]);
    EXPECT_EQ(ownCores(), std::vector{cores[1]});
  }).join();
}

TEST_F(HomeCores, AreNotNeededWhereAllHaveACore) {
  const std::size_t cores = ownCores().size();
  EXPECT_FALSE(HomeCore::of(0, cores));
  EXPECT_TRUE(HomeCore::of(0, cores + 1));
}

} // namespace
} // namespace copse::sync
