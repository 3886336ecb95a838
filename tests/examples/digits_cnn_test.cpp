#include "child_process.hpp"

#include <gmock/gmock.h>

namespace copse::test {
namespace {

using namespace std::chrono_literals;

std::string outputOf(const std::vector<std::string> &arguments) {
  std::vector<std::string> command = {DIGITS_CNN_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ChildProcess program(command);
  EXPECT_EQ(program.wait(280s), 0) << program.output() << program.errors();
  return program.output();
}

double numberAfter(const std::string &text, const std::string &words) {
  const auto at = text.find(words);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? -1 : std::stod(text.substr(at + words.size()));
}

TEST(DigitsCnn, LearnsToReadDigits) {
  const std::string output = outputOf({"3", "ipu"}); // untrained: a loss of 2.3, 10 %
  EXPECT_LT(numberAfter(output, "epoch   3/3  loss "), 0.9);
  EXPECT_GT(numberAfter(output, "test accuracy "), 70);
}

TEST(DigitsCnn, GivesTheSameInThisProcess) {
  EXPECT_EQ(outputOf({"1", "model"}), outputOf({"1", "ipu"}));
}

} // namespace
} // namespace copse::test
