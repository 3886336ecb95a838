// Tests examples/transformer, run in the way of a user: its losses, on several numbers of IPUs, and
// after failures.
#include "example_runs.hpp"
#include "kept_rows.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <memory>

namespace copse::test {
namespace {

using ::testing::HasSubstr;

/// Returns the command for a small model, so that a step takes milliseconds.
std::vector<std::string> transformerCommand(const std::vector<std::string> &more) {
  std::vector<std::string> command{
      TRANSFORMER_PROGRAM, "--width", "32",      "--context", "32",       "--batch", "4",
      "--heads",           "2",       "--tiles", "8",         "--sample", "30",      "--text",
      TRANSFORMER_TEXT};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

double numberAfter(const std::string &text, const std::string &words) {
  const auto at = text.find(words);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? -1 : std::stod(text.substr(at + words.size()));
}

TEST(Transformer, LearnsMoreThanTheFrequenciesOfCharacters) {
  ChildProcess program(
      transformerCommand({"--replicas", "2", "--ipus-per-replica", "2", "--steps", "150"}));
  ASSERT_EQ(program.wait(300s), 0) << program.errors();
  const std::string output = program.output();
  EXPECT_LT(numberAfter(output, "final loss"), numberAfter(output, "loss of frequencies") - 0.4);
  EXPECT_GT(numberAfter(output, "step    10/150  loss"), 3.2);
}

TEST(Transformer, HasTheSameBitsOnOneAndSeveralIpusPerReplica) {
  const auto run = [](const std::vector<std::string> &arguments) {
    auto all = arguments;
    all.insert(all.end(), {"--replicas", "2", "--steps", "10"});
    return runExample(transformerCommand(all));
  };
  const auto one = run({"--ipus-per-replica", "1"});
  EXPECT_EQ(one["sample"].get<std::string>().size(), 30u);
  for (const auto &other : {run({"--ipus-per-replica", "2"}),
                            run({"--ipus-per-replica", "2", "--device", "ipumodel"})}) {
    EXPECT_EQ(one["parameters_sha256"], other["parameters_sha256"]);
    EXPECT_EQ(one["losses"], other["losses"]);
    EXPECT_EQ(one["sample"], other["sample"]);
  }
}

TEST(Transformer, TakesFewerModelledCyclesOnTwoIpusThanOnOne) {
  const auto cycles = [](const char *ipus) {
    return runExample(transformerCommand({"--device", "ipumodel", "--replicas", "1", "--steps",
                                          "10", "--micro-batches", "16", "--ipus-per-replica",
                                          ipus}))["modelled_cycles"]
        .get<double>();
  };
  EXPECT_LT(cycles("2"), 0.9 * cycles("1"));
}

TEST(TransformerUsage, NamesTheWrongArgument) {
  const auto failure = failExample(transformerCommand({"--ipus-per-replica", "3"}));
  EXPECT_EQ(failure.code, 2);
  EXPECT_THAT(failure.errors, HasSubstr("--blocks"));
  EXPECT_THAT(failExample({TRANSFORMER_PROGRAM, "--heads", "5"}).errors, HasSubstr("--width"));
  EXPECT_THAT(failExample(transformerCommand({"--steps", "15"})).errors,
              HasSubstr("multiple of 10"));
  EXPECT_THAT(failExample(transformerCommand({"--text", "/nowhere"})).errors,
              HasSubstr("/nowhere: cannot be read"));
  EXPECT_THAT(failExample(transformerCommand({"--checkpoint"})).errors, HasSubstr("COPSE_RBUFD"));
  EXPECT_THAT(failExample({TRANSFORMER_PROGRAM, "--width", "256", "--device", "ipumodel"}).errors,
              HasSubstr("--tiles"));
}

class TransformerCheckpoint : public ::testing::Test {
protected:
  static std::vector<std::string> training(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--replicas", "2", "--ipus-per-replica", "2", "--steps", "60"});
    return transformerCommand(more);
  }
  std::unique_ptr<ChildProcess> started() const {
    return std::make_unique<ChildProcess>(training({"--checkpoint", "--json", results()}),
                                          kept_.environment());
  }
  nlohmann::json resultsOf(ChildProcess &program) const {
    EXPECT_EQ(program.wait(120s), 0) << program.errors();
    return resultsIn(results());
  }
  /// Returns the parameters of an undisturbed training.
  static const std::string &undisturbed() {
    static const std::string parameters = runExample(training())["parameters_sha256"];
    return parameters;
  }

private:
  std::string results() const { return folder_.file("results.json"); }

  TemporaryFolder folder_;
  KeptRows kept_;
};

TEST_F(TransformerCheckpoint, SurvivesAKilledIpu) {
  const auto program = started();
  ASSERT_TRUE(program->waitForOutput("step    20/", 60s)) << program->errors();
  const auto ipuds = program->children();
  ASSERT_EQ(ipuds.size(), 4u);
  ASSERT_EQ(::kill(ipuds[1], SIGKILL), 0);
  const auto run = resultsOf(*program);
  EXPECT_EQ(run["parameters_sha256"], undisturbed());
  EXPECT_EQ(run["recoveries"], 1);
}

TEST_F(TransformerCheckpoint, ContinuesAfterAKilledProgram) {
  {
    const auto program = started();
    ASSERT_TRUE(program->waitForOutput("step    30/", 60s)) << program->errors();
    program->kill(SIGKILL);
    ASSERT_EQ(program->wait(10s), 128 + SIGKILL);
  }
  const auto again = started();
  const auto run = resultsOf(*again);
  EXPECT_THAT(again->output(), HasSubstr("going on after step"));
  EXPECT_GE(run["first_step"], 30);
  EXPECT_EQ(run["parameters_sha256"], undisturbed());
}

} // namespace
} // namespace copse::test
