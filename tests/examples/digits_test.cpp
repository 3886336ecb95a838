#include "digits_runs.hpp"

#include <gmock/gmock.h>

namespace copse::test {
namespace {

/// Returns the results that must not depend on where, how or how often a program runs.
nlohmann::json results(const nlohmann::json &run) {
  return {{"weights", run["weights_sha256"]},
          {"losses", run["loss_per_epoch"]},
          {"accuracy", run["accuracy"]}};
}

const std::vector<std::string> kShort{"--replicas", "2", "--epochs", "2"};

TEST(Digits, LearnsToReadDigitsOnFourIpus) {
  const auto run = runDigits({});
  EXPECT_GE(run["accuracy"], 0.95);
  EXPECT_EQ(run["replicas"], 4);
  EXPECT_EQ(run["ipud_processes"], 4);
  EXPECT_LT(run["final_loss"], run["loss_per_epoch"][0]);
}

TEST(Digits, WritesItsResultsAsJson) {
  const auto run = runDigits(kShort);
  for (const char *key : {"accuracy", "replicas", "ipud_processes", "epochs", "final_loss",
                          "modelled_cycles", "modelled_images_per_s", "wall_s", "weights_sha256"})
    EXPECT_TRUE(run.contains(key)) << key;
  EXPECT_EQ(run["weights_sha256"].get<std::string>().size(), 64u);
}

TEST(Digits, GivesTheSameBitsInEveryRun) {
  const auto first = runDigits(kShort), second = runDigits(kShort);
  EXPECT_EQ(results(first), results(second));
  EXPECT_EQ(first["modelled_cycles"], second["modelled_cycles"]);
}

TEST(Digits, GivesTheSameBitsOverTcp) {
  const auto ipc = runDigits(kShort), tcp = runDigits(kShort, {{"COPSE_TRANSPORT", "tcp"}});
  EXPECT_EQ(results(ipc), results(tcp));
  EXPECT_EQ(ipc["modelled_cycles"], tcp["modelled_cycles"]);
}

TEST(Digits, GivesTheSameBitsOnEveryKindOfDevice) {
  const auto ipu = runDigits(kShort);
  for (const char *device : {"ipumodel", "cpu"}) {
    auto arguments = kShort;
    arguments.insert(arguments.end(), {"--device", device});
    EXPECT_EQ(results(runDigits(arguments)), results(ipu)) << device;
  }
}

TEST(Digits, TakesTheModelledTimeOfIpusOnAnIpuModel) {
  auto arguments = kShort;
  arguments.insert(arguments.end(), {"--device", "ipumodel"});
  EXPECT_EQ(runDigits(arguments)["modelled_cycles"], runDigits(kShort)["modelled_cycles"]);
}

TEST(Digits, TakesLongerRoutesOnAMesh) {
  const std::vector<std::string> eight{"--replicas", "8", "--epochs", "1", "--topology"};
  auto mesh = eight, torus = eight;
  mesh.push_back("mesh");
  torus.push_back("torus");
  const auto onMesh = runDigits(mesh), onTorus = runDigits(torus);
  EXPECT_EQ(results(onMesh), results(onTorus)) << "the topology is a matter of time only";
  EXPECT_GT(onMesh["modelled_cycles"], onTorus["modelled_cycles"]);
}

TEST(Digits, RunsOnOneIpuAndOnSixteen) {
  for (const char *replicas : {"1", "16"}) {
    const auto run = runDigits({"--replicas", replicas, "--epochs", "1"});
    EXPECT_EQ(std::to_string(run["ipud_processes"].get<int>()), replicas);
  }
}

TEST(Digits, LearnsOtherWeightsFromAnotherSeed) {
  auto arguments = kShort;
  arguments.insert(arguments.end(), {"--seed", "2"});
  EXPECT_NE(runDigits(arguments)["weights_sha256"], runDigits(kShort)["weights_sha256"]);
}

TEST(Digits, PrintsPlainLinesWithoutATerminal) {
  ChildProcess digits(digitsCommand(kShort));
  ASSERT_EQ(digits.wait(60s), 0) << digits.errors();
  EXPECT_THAT(digits.output(), ::testing::HasSubstr("epoch   2/2  loss"));
  EXPECT_THAT(digits.output(), ::testing::Not(::testing::HasSubstr("\r")));
}

} // namespace
} // namespace copse::test
