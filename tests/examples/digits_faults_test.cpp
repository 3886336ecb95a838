#include "digits_runs.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <thread>

namespace copse::test {
namespace {

/// Runs a long training on four IPUs, with temporary files in a folder of the test's own.
class DigitsFaults : public ::testing::Test {
protected:
  DigitsFaults() : digits_(digitsCommand({"--epochs", "10000"}), {{"TMPDIR", temporary_.path()}}) {}

  /// Waits until it trains.
  /// \returns its ipud processes, in order of their numbers
  std::vector<pid_t> ipuds() const {
    EXPECT_TRUE(digits_.waitForOutput("epoch   2/", 60s)) << digits_.errors();
    const auto children = digits_.children();
    EXPECT_EQ(children.size(), 4u);
    return children;
  }

  TemporaryFolder temporary_;
  ChildProcess digits_;
};

TEST_F(DigitsFaults, NamesAnIpudThatIsKilledAndLeavesNothingBehind) {
  const auto ipuds = this->ipuds();
  ASSERT_EQ(::kill(ipuds[2], SIGKILL), 0);
  EXPECT_EQ(digits_.wait(5s), 1);
  EXPECT_THAT(digits_.errors(), ::testing::ContainsRegex("[Ii][Pp][Uu] [0-3]"));
  EXPECT_THAT(digits_.errors(), ::testing::HasSubstr(std::to_string(ipuds[2])))
      << "the process that died";
  EXPECT_TRUE(allGone(ipuds, 2s));
  EXPECT_THAT(temporary_.entries(), ::testing::IsEmpty());
}

TEST_F(DigitsFaults, ContinuesAfterItWasStopped) {
  ipuds();
  digits_.kill(SIGSTOP);
  std::this_thread::sleep_for(
      4s); // longer than the ipuds would wait for a silent host on another machine
  digits_.kill(SIGCONT);
  const std::string before = digits_.output();
  EXPECT_FALSE(digits_.wait(4s).has_value()) << digits_.errors();
  EXPECT_GT(digits_.output().size(), before.size()) << "it trains on";
}

TEST_F(DigitsFaults, EndsItsIpudsWhenItIsKilled) {
  const auto ipuds = this->ipuds();
  digits_.kill(SIGKILL);
  EXPECT_EQ(digits_.wait(5s), 128 + SIGKILL);
  EXPECT_TRUE(allGone(ipuds, 3s));
  EXPECT_THAT(temporary_.entries(), ::testing::IsEmpty());
}

TEST_F(DigitsFaults, EndsItsIpudsWhenItIsInterrupted) {
  const auto ipuds = this->ipuds();
  digits_.kill(SIGINT);
  EXPECT_EQ(digits_.wait(5s), 128 + SIGINT);
  EXPECT_TRUE(allGone(ipuds, 3s));
  EXPECT_THAT(temporary_.entries(), ::testing::IsEmpty());
}

} // namespace
} // namespace copse::test
