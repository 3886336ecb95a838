// Tests digits --checkpoint: trainings that lose an IPU, their rbufd or themselves on the way.
#include "digits_runs.hpp"
#include "kept_rows.hpp"

#include <gmock/gmock.h>

#include <csignal>

namespace copse::test {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kTraining{"--replicas", "4", "--epochs", "16"};

/// Returns the weights of an undisturbed training.
const std::string &undisturbedWeights() {
  static const std::string weights = runDigits(kTraining)["weights_sha256"];
  return weights;
}

class DigitsCheckpoint : public ::testing::Test {
protected:
  static std::vector<std::string> training(std::vector<std::string> more = {}) {
    more.insert(more.begin(), kTraining.begin(), kTraining.end());
    more.emplace_back("--checkpoint");
    return more;
  }
  std::unique_ptr<ChildProcess> started() const {
    return std::make_unique<ChildProcess>(digitsCommand(training({"--json", results()})),
                                          kept_.environment());
  }
  std::string results() const { return folder_.file("results.json"); }
  nlohmann::json resultsOf(ChildProcess &digits) const {
    EXPECT_EQ(digits.wait(120s), 0) << digits.errors();
    return resultsIn(results());
  }

  TemporaryFolder folder_;
  KeptRows kept_;
};

TEST_F(DigitsCheckpoint, ChangesNoResultWithoutAFailure) {
  const auto run = runDigits(training(), kept_.environment());
  EXPECT_EQ(run["weights_sha256"], undisturbedWeights());
  EXPECT_EQ(run["recoveries"], 0);
}

TEST_F(DigitsCheckpoint, SurvivesKilledIpus) {
  const auto digits = started();
  const auto killAfter = [&](const std::string &said) {
    ASSERT_TRUE(digits->waitForOutput(said, 60s)) << digits->errors();
    const auto ipuds = digits->children();
    ASSERT_EQ(ipuds.size(), 4u);
    ASSERT_EQ(::kill(ipuds[2], SIGKILL), 0);
  };
  killAfter("epoch   5/");
  ASSERT_TRUE(digits->waitForOutput("going on after", 60s)) << digits->errors();
  killAfter("epoch   9/");
  const auto run = resultsOf(*digits);
  EXPECT_EQ(run["weights_sha256"], undisturbedWeights());
  EXPECT_EQ(run["recoveries"], 2);
}

TEST_F(DigitsCheckpoint, ContinuesAfterAKilledProgram) {
  {
    const auto digits = started();
    ASSERT_TRUE(digits->waitForOutput("epoch   7/", 60s)) << digits->errors();
    digits->kill(SIGKILL);
    ASSERT_EQ(digits->wait(10s), 128 + SIGKILL);
  }
  const auto again = started();
  const auto run = resultsOf(*again);
  EXPECT_THAT(again->output(), HasSubstr("going on after epoch"));
  EXPECT_GE(run["first_epoch"], 6);
  EXPECT_EQ(run["weights_sha256"], undisturbedWeights());
}

TEST_F(DigitsCheckpoint, SurvivesARestartOfTheRbufd) {
  const auto digits = started();
  ASSERT_TRUE(digits->waitForOutput("epoch   5/", 60s)) << digits->errors();
  kept_.process().kill(SIGKILL);
  ASSERT_EQ(kept_.process().wait(5s), 128 + SIGKILL);
  kept_.start();
  EXPECT_EQ(resultsOf(*digits)["weights_sha256"], undisturbedWeights());
}

TEST_F(DigitsCheckpoint, StartsAgainAfterACompletedTraining) {
  runDigits(training(), kept_.environment());
  EXPECT_EQ(runDigits(training(), kept_.environment())["first_epoch"], 0);
}

TEST_F(DigitsCheckpoint, RefusesThatOfAnotherTraining) {
  {
    const auto digits = started();
    ASSERT_TRUE(digits->waitForOutput("epoch   3/", 60s)) << digits->errors();
    digits->kill(SIGKILL);
    ASSERT_TRUE(digits->wait(10s));
  }
  const Failure failure = failDigits(training({"--seed", "2"}), kept_.environment());
  EXPECT_EQ(failure.code, 1);
  EXPECT_THAT(failure.errors, HasSubstr("--replicas 4 --batch 16 --seed 1"));
}

TEST(DigitsUsage, RefusesACheckpointWithoutStoredRows) {
  const Failure failure = failDigits({"--checkpoint"});
  EXPECT_EQ(failure.code, 2);
  EXPECT_THAT(failure.errors, HasSubstr("COPSE_RBUFD"));
}

} // namespace
} // namespace copse::test
