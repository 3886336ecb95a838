#include "child_process.hpp"
#include "dataset.hpp"

#include <gmock/gmock.h>

#include <fstream>

namespace digits {
namespace {

/// Returns a line with 64 pixels of \p value and a label.
std::string line(const std::string &value, const std::string &label) {
  std::string text;
  for (unsigned p = 0; p < kPixels; ++p)
    text += value + ",";
  return text + label + "\n";
}

Dataset parse(const std::string &text) {
  const copse::test::TemporaryFolder folder;
  std::ofstream(folder.file("d.csv")) << text;
  return readDataset(folder.file("d.csv"));
}

std::string errorOf(const std::string &text) {
  try {
    parse(text);
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return {};
}

TEST(Dataset, HoldsBackEveryFifthLine) {
  const Dataset dataset = readDataset(std::string(DIGITS_FOLDER) + "/digits.csv");
  EXPECT_EQ(dataset.train.size(), 1438u);
  EXPECT_EQ(dataset.test.size(), 359u);
}

TEST(Dataset, ScalesPixelsToOne) {
  std::string text;
  for (int i = 0; i < 5; ++i)
    text += line("16", "7");
  const Dataset dataset = parse(text);
  EXPECT_EQ(dataset.train[0].pixels[0], 1.0f);
  EXPECT_EQ(dataset.test[0].label, 7);
}

const struct BadLine {
  const char *name;
  std::string text;
  const char *says;
} kBadLines[] = {
    {"NotANumber", line("x", "1"), "expected a whole number"},
    {"NotWhole", line("1.5", "1"), "expected a whole number"},
    {"TooDark", line("17", "1"), "not 0 to 16"},
    {"NoLabel", line("1", ""), "label is missing"},
    {"WrongLabel", line("1", "10"), "not 0 to 9"},
    {"TooFew", "1,2,3\n", "expected 64 pixels"},
    {"TooMany", line("1", "3,4"), "found more"},
};

class DatasetErrors : public ::testing::TestWithParam<BadLine> {};

TEST_P(DatasetErrors, NameTheLine) {
  EXPECT_THAT(
      errorOf(line("1", "1") + GetParam().text),
      ::testing::AllOf(::testing::HasSubstr("d.csv:2: "), ::testing::HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(Lines, DatasetErrors, ::testing::ValuesIn(kBadLines),
                         [](const auto &p) { return p.param.name; });

} // namespace
} // namespace digits
