// Tests copse options, which prints the tables by which options are read.
#include "child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

struct Printed {
  int code = 0;
  std::string output, errors;
};

Printed options(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {TOOLS_FOLDER "/copse", "options"});
  ChildProcess copse(arguments, {});
  const int code = copse.wait(60s).value_or(-1);
  return {code, copse.output(), copse.errors()};
}

TEST(Options, AreDocumentedOnAnUpToDatePage) {
  std::ifstream file(OPTIONS_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(options({"--markdown"}).output, page.str())
      << "write it anew: copse options --markdown > docs/engine-options.md";
}

TEST(Options, AreListedByAWordOfTheirNames) {
  const Printed found = options({"TOPOLOGY"});
  EXPECT_EQ(found.code, 0) << found.errors;
  EXPECT_THAT(found.output, HasSubstr("ipuLinkTopology"));
  EXPECT_THAT(found.output, HasSubstr("mesh, torus"));
  EXPECT_THAT(found.output, Not(HasSubstr("autoReport")));
}

TEST(Options, AreMissingForAWordThatNoNameContains) {
  const Printed found = options({"topologie"});
  EXPECT_EQ(found.code, 1);
  EXPECT_THAT(found.errors, HasSubstr("no option has 'topologie' in its name"));
}

TEST(Options, ArePrintedAsJson) {
  const auto records = nlohmann::json::parse(options({"--json"}).output);
  std::set<std::string> kinds;
  for (const auto &record : records)
    kinds.insert(record.at("kind"));
  EXPECT_THAT(kinds, ::testing::IsSupersetOf({"engine option", "target option", "stream option"}));
}

} // namespace
} // namespace copse::test
