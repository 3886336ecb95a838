// Tests the progress that programs and clusters show while users wait.
#include "cluster_nodes.hpp"
#include "copse_up.hpp"
#include "terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Progress, IsOnTheTerminalUntilTheRunEnds) {
  const auto ran = onTerminal({COPSE_SLOW_PROGRAM}, {{"COPSE_IPUS", "1"}});
  EXPECT_EQ(ran.code, 0) << ran.written;
  EXPECT_THAT(ran.written, ContainsRegex("running program 0 'slow', run 1: loop trip [0-3] of 4, "
                                         "[0-9]+ steps, .* modelled cycles"));
  const auto screen = screenOf(ran.written);
  ASSERT_GE(screen.size(), 2U);
  EXPECT_EQ(screen.front(), "word: [7]") << "with the program's own output, and nothing else";
  EXPECT_EQ(screen.back(), "");
}

TEST(Progress, IsNotShownToFiles) {
  ChildProcess program({COPSE_SLOW_PROGRAM}, {{"COPSE_IPUS", "1"}});
  EXPECT_EQ(program.wait(60s), 0) << program.errors();
  EXPECT_EQ(program.errors(), "word: [7]\n");
}

TEST_F(CopseUp, WatchShowsTheActivityOfIpus) {
  ASSERT_EQ(copse({"up", "--ipus", "2"}).code, 0);
  auto variables = environment();
  variables["COPSE_CLUSTER"] = (directory() / "cluster.json").string();
  ChildProcess host({COPSE_HOST_PROGRAM, "2", "forever"}, variables);
  ASSERT_TRUE(host.waitForOutput("device 2", 30s)) << host.errors();
  const Outcome watched = copse({"status", "--watch", "--interval", "0.5", "--count", "2"});
  EXPECT_EQ(watched.code, 0) << watched.errors;
  EXPECT_THAT(watched.output, HasSubstr("steps/s"));
  EXPECT_THAT(watched.output, ContainsRegex("running[^\n]*pid " + std::to_string(host.pid()) +
                                            "[^\n]* [0-9]*[1-9][0-9]*\\.[0-9][0-9]"))
      << "an IPU makes steps";
  EXPECT_THAT(watched.output, Not(HasSubstr("\x1b"))) << "a file is no terminal";
}

TEST_F(CopseUp, WatchRefreshesATerminalInPlace) {
  ASSERT_EQ(copse({"up", "--ipus", "2"}).code, 0);
  const auto watched = onTerminal({std::string(TOOLS_FOLDER) + "/copse", "status", "--watch",
                                   "--interval", "0.2", "--count", "2"},
                                  environment());
  EXPECT_EQ(watched.code, 0) << watched.written;
  EXPECT_THAT(watched.written, HasSubstr("\x1b[H"));
  EXPECT_THAT(watched.written, HasSubstr("rbufd: up"));
}

} // namespace
} // namespace copse::test
