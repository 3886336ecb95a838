// Tests programs that measure themselves, on modelled clocks: they print the device's time.
#include "child_process.hpp"
#include "sanitizers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Constants of configs/gc200.json, and the clock that a target has.
constexpr double kClockHz = 1.325e9, kRunSeconds = 1e-5, kToIpu = 3301250000, kToHost = 2932500000,
                 kHostSyncSeconds = 2.423e-7;
// Size of `large` in timed_engine.hpp.
constexpr double kLargeBytes = 4 << 20;

struct Said {
  std::string output, errors;
  std::optional<int> exit;
};

Said runCopse(std::vector<std::string> words,
              const std::map<std::string, std::string> &environment = {}) {
  words.insert(words.begin(), {std::string(TOOLS_FOLDER) + "/copse", "run"});
  auto variables = environment;
  variables.try_emplace("COPSE_IPUS", "2");
  ChildProcess process(words, variables);
  const auto exit = process.wait(200s);
  return {process.output(), process.errors(), exit};
}

Said runTimed(const std::string &kind, const std::string &hostTime) {
  return runCopse({"--clock", "modelled", "--host-time", hostTime, "--", TIMED_PROGRAM, kind});
}

using Line = std::pair<std::string, double>;

/// Returns the lines of a program that end in a number.
std::vector<Line> linesOf(const std::string &output) {
  std::vector<Line> lines;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);)
    if (const auto last = line.rfind(' '); last != std::string::npos)
      lines.emplace_back(line.substr(0, last), std::stod(line.substr(last + 1)));
  return lines;
}

std::map<std::string, double> figuresOf(const std::string &output) {
  const auto lines = linesOf(output);
  return {lines.begin(), lines.end()};
}

class ModelledClock : public ::testing::Test {
protected:
  void SetUp() override {
    if (kAddressSanitizer || kThreadSanitizer)
      GTEST_SKIP() << "a sanitizer must be the first library that a program loads";
  }
};

/// A clock of timed_program, and its resolution [ns].
struct ClockCase {
  const char *name;
  double resolution;
};
class EachClock : public ModelledClock, public ::testing::WithParamInterface<ClockCase> {};

TEST_P(EachClock, ShowsTheTimeOfTheDevice) {
  const auto [name, resolution] = GetParam();
  const Said said = runTimed(name, "none");
  ASSERT_EQ(said.exit, 0) << said.errors;
  auto took = figuresOf(said.output);
  const double run = 1e9 * (kRunSeconds + took.at("cycles") / kClockHz);
  EXPECT_NEAR(took.at("run"), run, 10 + resolution);
  EXPECT_NEAR(took.at("twice") - took.at("run"), 1e9 * took.at("cycles") / kClockHz,
              10 + 2 * resolution);
  const double write = 1e9 * (kHostSyncSeconds + kLargeBytes / kToIpu);
  const double read = 1e9 * (kHostSyncSeconds + kLargeBytes / kToHost);
  EXPECT_NEAR(took.at("write"), write, 10 + resolution);
  EXPECT_NEAR(took.at("read"), read, 10 + resolution);
  EXPECT_NEAR(took.at("to rows"), 1e9 * kLargeBytes / kToIpu, 10 + resolution);
  EXPECT_NEAR(took.at("from rows"), 1e9 * kLargeBytes / kToHost, 10 + resolution);
  EXPECT_GE(took.at("load"), 1e9 * kHostSyncSeconds - resolution);
}
INSTANTIATE_TEST_SUITE_P(Clocks, EachClock,
                         ::testing::Values(ClockCase{"chrono", 0}, ClockCase{"system", 0},
                                           ClockCase{"posix", 0}, ClockCase{"processor", 0},
                                           ClockCase{"gettimeofday", 1000},
#ifdef TIMED_OPENMP
                                           ClockCase{"openmp", 10},
#endif
                                           ClockCase{"poplar", 0}),
                         [](const auto &p) { return p.param.name; });

TEST_F(ModelledClock, IsTheSameInEveryRunIfTheHostTakesNoTime) {
  for (const char *const kind : {"chrono", "callbacks", "waits", "date"}) {
    const Said first = runTimed(kind, "none"), second = runTimed(kind, "none");
    ASSERT_EQ(first.exit, 0) << first.errors;
    EXPECT_THAT(first.output, Not(IsEmpty()));
    EXPECT_EQ(first.output, second.output) << kind;
  }
}

TEST_F(ModelledClock, AdvancesWithTheHostBetweenRuns) {
  const Said said = runTimed("chrono", "real");
  ASSERT_EQ(said.exit, 0) << said.errors;
  auto took = figuresOf(said.output);
  // The host only reads the clock and calls the engine.
  const double run = 1e9 * (kRunSeconds + took.at("cycles") / kClockHz);
  EXPECT_GE(took.at("run"), run - 10);
  EXPECT_LT(took.at("run"), run + 5e9);
}

TEST_F(ModelledClock, ShowsCallbacksTheMomentOfTheDevice) {
  for (const char *const hostTime : {"none", "real"}) {
    const Said said = runTimed("callbacks", hostTime);
    ASSERT_EQ(said.exit, 0) << said.errors;
    const auto lines = linesOf(said.output);
    ASSERT_EQ(lines.size(), 3 * 5 + 1u) << said.output;
    double before = 0;
    for (std::size_t i = 0; i + 1 < lines.size(); i += 3) {
      const auto &[in, asked] = lines[i];
      const auto &[slept, later] = lines[i + 1];
      const auto &[out, came] = lines[i + 2];
      EXPECT_EQ(in + slept + out, "insleptout");
      EXPECT_GT(asked, before);
      EXPECT_EQ(later, asked) << "a callback takes the device no time";
      // The row's transfer, 10 us for its callback, and 1,000 cycles of the vertex.
      EXPECT_GT(came, asked + 10e3 + 1e9 * 1000 / kClockHz);
      EXPECT_LT(came, asked + 20e3);
      before = came;
    }
    EXPECT_GE(lines.back().second, before);
    EXPECT_LT(lines.back().second, before + 5e9);
  }
}

TEST_F(ModelledClock, NeverRunsBackwardsAndNoWaitEndsEarly) {
  for (const char *const hostTime : {"none", "real", "3"}) {
    const Said said = runTimed("threads", hostTime);
    EXPECT_EQ(said.exit, 0) << said.errors;
    EXPECT_EQ(said.output, "backwards 0 early 0\n") << hostTime;
  }
}

TEST_F(ModelledClock, ShowsExactWaitsIfTheHostTakesNoTime) {
  const Said said = runTimed("waits", "none");
  ASSERT_EQ(said.exit, 0) << said.errors;
  const auto took = figuresOf(said.output);
  EXPECT_EQ(took.at("sleep"), 3e6);
  EXPECT_EQ(took.at("usleep"), 2e6);
  EXPECT_EQ(took.at("condition"), 4e6);
  EXPECT_EQ(took.at("future"), 5e6);
  EXPECT_NEAR(took.at("loop"), 1e6, 2000);
}

TEST_F(ModelledClock, AppliesToPython) {
  const std::vector<std::string> command{
      "--clock", "modelled", "--host-time",        "none",
      "--",      "python3",  TIMED_PYTHON_PROGRAM, TIMED_LIBRARY};
  const Said said = runCopse(command);
  ASSERT_EQ(said.exit, 0) << said.errors;
  const auto took = figuresOf(said.output);
  const double run = 1e9 * (kRunSeconds + took.at("cycles") / kClockHz);
  for (const char *const clock : {"perf_counter_ns", "monotonic_ns", "time_ns", "process_time_ns"})
    EXPECT_NEAR(took.at(clock), run, 10) << clock;
  EXPECT_EQ(took.at("sleep"), 10e6);
  EXPECT_NEAR(took.at("event"), 10e6, 1e6);
  EXPECT_NEAR(took.at("asyncio"), 20e6, 2e6); // it rounds up to milliseconds
  EXPECT_EQ(runCopse(command).output, said.output);
}

TEST_F(ModelledClock, MakesAHostIoBenchmarkPrintTheModelledRate) {
  const TemporaryFolder folder;
  const Said said = runCopse({"--clock", "modelled", "--host-time", "none", "--", HOST_IO_PROGRAM,
                              "--bytes", "64k,1M", "--replicas", "1", "--bytes-per-point", "8M",
                              "--csv", folder.file("t.csv"), "--svg", folder.file("t.svg")});
  ASSERT_EQ(said.exit, 0) << said.errors;
  std::ifstream file(folder.file("t.csv"));
  std::string line;
  std::getline(file, line);
  int rows = 0;
  for (; std::getline(file, line); ++rows) {
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');)
      cells.push_back(cell);
    // Column 6 has the wall-clock's seconds, column 8 the modelled clock's.
    EXPECT_NEAR(std::stod(cells.at(6)), std::stod(cells.at(8)) + kRunSeconds, 1e-5) << line;
  }
  EXPECT_GE(rows, 6);
}

TEST_F(ModelledClock, PrintsASummaryOnRequest) {
  const Said asked =
      runCopse({"--clock", "modelled", "--clock-summary", "--", TIMED_PROGRAM, "chrono"});
  EXPECT_EQ(asked.exit, 0);
  EXPECT_THAT(asked.errors, AllOf(HasSubstr("copse: the device took"), HasSubstr(" 8 calls")));
  EXPECT_THAT(runTimed("date", "real").errors, IsEmpty());
}

TEST_F(ModelledClock, IsTheSameWithoutAnExecution) {
  for (const char *const kind : {"chrono", "callbacks", "waits"}) {
    const Said executed = runTimed(kind, "none");
    const Said timed = runCopse({"--execution", "modelled", "--clock", "modelled", "--host-time",
                                 "none", "--", TIMED_PROGRAM, kind});
    ASSERT_EQ(timed.exit, 0) << timed.errors;
    EXPECT_THAT(timed.output, Not(IsEmpty()));
    EXPECT_EQ(timed.output, executed.output) << kind;
    const auto said = timed.errors.find("data are not computed");
    EXPECT_EQ(said, timed.errors.rfind("data are not computed"));
    EXPECT_EQ(said != std::string::npos, std::string(kind) != "waits") << "if it reads any";
  }
}

TEST(RunProgram, GetsItsArgumentsWithoutTheSeparatorOfOptions) {
  EXPECT_EQ(runCopse({"--", "echo", "a", "b"}).output, "a b\n");
  EXPECT_EQ(runCopse({"--log-level", "info", "--", "echo", "a", "--", "b"}).output, "a -- b\n");
  EXPECT_EQ(runCopse({"echo", "a", "--", "b"}).output, "a -- b\n");
  EXPECT_EQ(runCopse({"--log-level", "info", "echo", "-x"}).output, "-x\n");
}

TEST_F(ModelledClock, RefusesAssumptionsThatAreWrongOrHaveNoEffect) {
  EXPECT_EQ(runCopse({"--assume", "if=true", "--", TIMED_PROGRAM, "date"}).exit, 2);
  const Said wrong =
      runCopse({"--execution", "modelled", "--assume", "while=ever", "--", TIMED_PROGRAM, "date"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("the assumption 'while=ever'"));
}

TEST_F(ModelledClock, RefusesAStaticProgram) {
  const Said said = runCopse({"--clock", "modelled", "--", STATIC_PROGRAM});
  EXPECT_EQ(said.exit, 2);
  EXPECT_THAT(said.errors, HasSubstr("is linked statically, so its clocks cannot be reached"));
  EXPECT_EQ(runCopse({"--", STATIC_PROGRAM}).exit, 0);
}

TEST_F(ModelledClock, RefusesWrongSettings) {
  for (const char *const hostTime : {"nought", "0", "-1", "inf", ""})
    EXPECT_NE(runTimed("date", hostTime).exit, 0) << hostTime;
  EXPECT_EQ(runCopse({"--host-time", "none", "--", TIMED_PROGRAM, "date"}).exit, 2);
  const std::map<std::string, std::string> wrong{{"COPSE_CLOCK", "modeled"},
                                                 {"LD_PRELOAD", CLOCK_LIBRARY}};
  ChildProcess program({TIMED_PROGRAM, "date"}, wrong);
  EXPECT_EQ(program.wait(60s), 2);
  EXPECT_THAT(program.errors(), HasSubstr("COPSE_CLOCK is 'modeled'"));
}

TEST_F(ModelledClock, IsReportedMissingWithoutItsLibrary) {
  ChildProcess program({TIMED_PROGRAM, "chrono"}, {{"COPSE_CLOCK", "modelled"}});
  EXPECT_EQ(program.wait(200s), 1);
  EXPECT_THAT(program.errors(), HasSubstr("libcopse_clock.so was not loaded"));
}

} // namespace
} // namespace copse::test
