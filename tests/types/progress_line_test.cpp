#include "terminal.hpp"

#include "types/progress_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

namespace copse::types {
namespace {

using namespace std::chrono_literals;
using test::onTerminal;
using test::screenOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void wait(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

TEST(ProgressLine, ShowsTheProgressOfALongCallAndDisappears) {
  const auto ran = onTerminal([] {
    ProgressLine line("compiling");
    line.say("40 %");
    wait(1'200ms);
    return line.isShown() ? 0 : 1;
  });
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.written, HasSubstr("\rcompiling: 40 % (0 s)"));
  EXPECT_THAT(ran.written, HasSubstr("\rcompiling: 40 % (1 s)"));
  EXPECT_THAT(screenOf(ran.written), ElementsAre(""));
}

TEST(ProgressLine, IgnoresShortCalls) {
  const auto ran = onTerminal([] {
    ProgressLine line("loading");
    line.say("1 kB of 2 kB");
    wait(100ms);
    return 0;
  });
  EXPECT_THAT(ran.written, IsEmpty());
}

TEST(ProgressLine, MakesRoomForOtherText) {
  const auto ran = onTerminal([] {
    ProgressLine line("running");
    wait(700ms);
    {
      const TerminalText text;
      (void)!::write(STDERR_FILENO, "tensor: ", 8);
      wait(400ms);
      (void)!::write(STDERR_FILENO, "1 2 3\n", 6);
    }
    wait(500ms);
    return 0;
  });
  EXPECT_THAT(ran.written, HasSubstr("tensor: 1 2 3\r\n\rrunning (")) << "it comes back";
  EXPECT_THAT(screenOf(ran.written), ElementsAre("tensor: 1 2 3", ""));
}

TEST(ProgressLine, FitsTheTerminal) {
  const auto ran = onTerminal(
      [] {
        ProgressLine line("running a program of a long name");
        wait(600ms);
        return 0;
      },
      20);
  EXPECT_THAT(ran.written, HasSubstr("\rrunning a program o\x1b[K"));
}

TEST(ProgressLine, BelongsToTheFirstOfSeveralCalls) {
  const auto ran = onTerminal([] {
    const ProgressLine outer("running"), inner("compiling");
    wait(600ms);
    return outer.isShown() && !inner.isShown() ? 0 : 1;
  });
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.written, Not(HasSubstr("compiling")));
}

TEST(ProgressLine, IsDisabledByTheEnvironment) {
  const auto ran = onTerminal([] {
    ::setenv("COPSE_PROGRESS", "0", 1);
    const ProgressLine line("compiling");
    wait(600ms);
    return line.isShown() ? 1 : 0;
  });
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.written, IsEmpty());
}

TEST(ProgressLine, IsDisabledWithoutATerminal) {
  EXPECT_FALSE(ProgressLine("compiling").isShown() && !::isatty(STDERR_FILENO));
}

TEST(ShortNumber, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(shortNumber(0), "0");
  EXPECT_EQ(shortNumber(999), "999");
  EXPECT_EQ(shortNumber(1'234), "1.23 k");
  EXPECT_EQ(shortNumber(56'789'000), "56.8 M");
  EXPECT_EQ(shortNumber(4.5e18), "4500 P");
}

} // namespace
} // namespace copse::types
