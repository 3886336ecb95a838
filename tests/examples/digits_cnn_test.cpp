#include "child_process.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace copse::test {
namespace {

using namespace std::chrono_literals;

/// Runs the program to its end and reads the results that it wrote.
nlohmann::json resultsOf(std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  arguments.insert(arguments.begin(), DIGITS_CNN_PROGRAM);
  arguments.insert(arguments.end(), {"--json", folder.file("results.json")});
  ChildProcess program(arguments);
  const auto code = program.wait(280s);
  EXPECT_EQ(code, 0) << program.output() << program.errors();
  std::ifstream file(folder.file("results.json"));
  return code == 0 ? nlohmann::json::parse(file) : nlohmann::json{};
}

TEST(DigitsCnn, LearnsToReadDigits) {
  const auto results = resultsOf({"--replicas", "1", "--epochs", "3"}); // untrained: 2.3, 10 %
  EXPECT_LT(results["final_loss"], 0.5);
  EXPECT_GT(results["accuracy"], 0.85);
}

TEST(DigitsCnn, GivesTheSameResultsInThisProcess) {
  const auto onIpuds = resultsOf({"--replicas", "2", "--epochs", "1"});
  const auto onModel = resultsOf({"--replicas", "2", "--epochs", "1", "--device", "ipumodel"});
  EXPECT_EQ(onIpuds["weights_sha256"], onModel["weights_sha256"]);
  EXPECT_EQ(onIpuds["modelled_cycles"], onModel["modelled_cycles"]);
}

TEST(DigitsCnn, LearnsTheSameFromTwoReplicasAsFromTwoMicroBatches) {
  const auto loss = [](const char *replicas, const char *accumulate) {
    return resultsOf({"--replicas", replicas, "--accumulate", accumulate, "--batch", "8",
                      "--epochs", "1", "--device", "ipumodel"})["final_loss"]
        .get<double>();
  };
  EXPECT_NEAR(loss("2", "1"), loss("1", "2"), 1e-3); // the same images, added in another order
}

} // namespace
} // namespace copse::test
