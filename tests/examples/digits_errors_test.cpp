#include "digits_runs.hpp"

#include <gmock/gmock.h>

#include <filesystem>

namespace copse::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Creates a folder like examples/digits, of which one file can be damaged.
class DigitsErrors : public ::testing::Test {
protected:
  DigitsErrors() {
    for (const char *name : {"digits.csv", "codelets.cpp"})
      std::filesystem::copy(std::string(DIGITS_FOLDER) + "/" + name, folder_.file(name));
  }
  void replace(const std::string &name, const std::string &from, const std::string &to) {
    std::ifstream in(folder_.file(name));
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    std::ofstream(folder_.file(name)) << text;
  }
  Failure run() const {
    return failDigits({"--replicas", "2", "--epochs", "1", "--data", folder_.path()});
  }

  TemporaryFolder folder_;
};

TEST_F(DigitsErrors, NamesAMissingDataFile) {
  std::filesystem::remove(folder_.file("digits.csv"));
  const Failure failure = run();
  EXPECT_EQ(failure.code, 1);
  EXPECT_THAT(failure.errors, AllOf(HasSubstr("digits.csv"), HasSubstr("cannot be opened")));
}

TEST_F(DigitsErrors, NamesTheLineOfAMalformedDataFile) {
  std::ofstream(folder_.file("digits.csv"), std::ios::app) << "1,2,three\n";
  const Failure failure = run();
  EXPECT_EQ(failure.code, 1);
  EXPECT_THAT(failure.errors, HasSubstr("digits.csv:1798: "));
}

TEST_F(DigitsErrors, PassesOnTheCompilersMessageAboutACodelet) {
  replace("codelets.cpp", "y[b] = *bias;", "y[b] = *noSuchField;");
  const Failure failure = run();
  EXPECT_EQ(failure.code, 1);
  EXPECT_THAT(failure.errors, AllOf(HasSubstr("codelets.cpp"), HasSubstr("noSuchField")));
}

TEST_F(DigitsErrors, NamesAFieldThatTheCodeletLacks) {
  replace("codelets.cpp", "Input<Vector<float>> logits; // shape [classes]\n  Input<int> label;",
          "Input<Vector<float>> logitz; // shape [classes]\n  Input<int> label;");
  replace("codelets.cpp", "const unsigned classes = logits.size();\n    float largest = logits[0];",
          "auto &logits = logitz; const unsigned classes = logits.size();\n    float largest = "
          "logits[0];");
  const Failure failure = run();
  EXPECT_EQ(failure.code, 1);
  EXPECT_THAT(failure.errors, AllOf(HasSubstr("'logits'"), HasSubstr("SoftmaxCrossEntropy")));
}

TEST(DigitsUsage, RefusesAnUnknownOption) {
  const Failure failure = failDigits({"--replica", "4"});
  EXPECT_EQ(failure.code, 2);
  EXPECT_THAT(failure.errors, HasSubstr("--replica"));
}

TEST(DigitsUsage, RefusesMoreReplicasThanTheMachineHas) {
  const Failure failure = failDigits({"--replicas", "4"}, {{"COPSE_IPUS", "2"}});
  EXPECT_EQ(failure.code, 1);
  EXPECT_THAT(failure.errors, HasSubstr("--replicas 4"));
}

TEST(DigitsUsage, RefusesAnOddNumberOfReplicas) {
  const Failure failure = failDigits({"--replicas", "3"});
  EXPECT_EQ(failure.code, 1);
  EXPECT_THAT(failure.errors, AllOf(HasSubstr("--replicas 3"), HasSubstr("even")));
}

TEST(DigitsUsage, RefusesABatchLargerThanTheData) {
  const Failure failure = failDigits({"--replicas", "16", "--batch", "256", "--device", "cpu"});
  EXPECT_EQ(failure.code, 1);
  EXPECT_THAT(failure.errors, HasSubstr("--batch 256"));
}

TEST(DigitsUsage, PrintsItsHelp) {
  ChildProcess digits(digitsCommand({"--help"}));
  EXPECT_EQ(digits.wait(10s), 0);
  for (const char *option :
       {"--replicas", "--epochs", "--batch", "--device", "--topology", "--json"})
    EXPECT_THAT(digits.output(), HasSubstr(option));
}

TEST(DigitsUsage, SaysThatItsResultsCannotBeWritten) {
  const Failure failure =
      failDigits({"--replicas", "1", "--epochs", "1", "--json", "/no/such/folder/x.json"});
  EXPECT_EQ(failure.code, 1);
  EXPECT_THAT(failure.errors, HasSubstr("/no/such/folder/x.json"));
}

TEST(DigitsUsage, SaysThatItsOutputCannotBeWritten) {
  ChildProcess digits(
      {"/bin/sh", "-c", std::string(DIGITS_PROGRAM) + " --replicas 1 --epochs 1 > /dev/full"});
  EXPECT_EQ(digits.wait(60s), 1);
  EXPECT_THAT(digits.errors(), HasSubstr("standard output"));
}

} // namespace
} // namespace copse::test
