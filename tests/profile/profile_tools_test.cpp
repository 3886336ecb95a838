// Tests files that a program leaves behind: a trace for Perfetto, and profiles that
// poplar_profile_summary reads.
#include "child_process.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace copse::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::chrono::seconds kTimeout{60};

/// Runs a program to its end.
struct Ran {
  Ran(const std::vector<std::string> &command,
      const std::map<std::string, std::string> &environment = {})
      : process(command, environment), code(process.wait(kTimeout)) {}
  ChildProcess process;
  std::optional<int> code;
};

class ProfileTools : public ::testing::Test {
protected:
  std::string in(const std::string &name) const { return folder_.file(name); }
  std::string directory() const { return folder_.path().string(); }

  /// Runs the program with \p options as PVTI_OPTIONS.
  void run(const std::string &options) {
    const Ran program({TRACED_PROGRAM, directory()}, {{"PVTI_OPTIONS", options}});
    EXPECT_EQ(program.code, 0) << program.process.errors();
    errors_ = program.process.errors();
  }
  json trace() const {
    for (const auto &entry : std::filesystem::directory_iterator(folder_.path()))
      if (entry.path().string().ends_with(".pvti.json"))
        return json::parse(std::ifstream(entry.path()));
    return nullptr;
  }
  std::string summary(const std::vector<std::string> &arguments) {
    std::vector<std::string> command{PROFILE_SUMMARY};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Ran tool(command);
    EXPECT_EQ(tool.code, 0) << tool.process.errors();
    return tool.process.output();
  }

  TemporaryFolder folder_;
  std::string errors_;
};

std::vector<json> eventsOf(const json &trace, const std::string &phase) {
  std::vector<json> events;
  for (const json &event : trace)
    if (event.at("ph") == phase)
      events.push_back(event);
  return events;
}

TEST_F(ProfileTools, TracesShowTheActivityOfTheHost) {
  run(R"({"enable":"true","directory":")" + directory() + "\"}");
  const json all = trace();
  ASSERT_TRUE(all.is_array());
  std::map<int, std::vector<std::string>> open; // by thread
  std::set<std::string> names;
  double last = 0;
  for (const json &event : all) {
    if (event.at("ph") == "B") {
      open[event.at("tid")].push_back(event.at("name"));
      names.insert(event.at("name").get<std::string>());
    } else if (event.at("ph") == "E") {
      ASSERT_FALSE(open[event.at("tid")].empty()) << "an end without a beginning";
      open[event.at("tid")].pop_back();
    } else {
      continue;
    }
    EXPECT_GE(event.at("ts").get<double>(), 0);
    last = std::max(last, event.at("ts").get<double>());
  }
  for (const auto &[thread, left] : open)
    EXPECT_TRUE(left.empty()) << "what begins ends";
  for (const char *name :
       {"main \"quoted\"", "in a library", "compileGraph", "place variables", "lower programs",
        "Engine::load", "Engine::run 0 first", "fetch: stream 'in', replica 0 of 1"})
    EXPECT_EQ(names.count(name), 1u) << name;
  EXPECT_GT(last, 0);
}

TEST_F(ProfileTools, TracesShowTheStepsOfEachIpuOnTheModelledClockAndOnTheWallClock) {
  run(R"({"enable":"true","directory":")" + directory() + "\"}");
  std::map<std::pair<int, int>, double> ends,
      runs; // rows of steps, and of the runs around them
  std::map<std::string, int> steps;
  for (const json &event : eventsOf(trace(), "X")) {
    const std::pair<int, int> row{event.at("pid"), event.at("tid")};
    const double from = event.at("ts"), to = from + event.at("dur").get<double>();
    if (event.at("cat") == "run") {
      EXPECT_GE(from + 1e-3, runs[row]) << "runs of an IPU do not overlap";
      runs[row] = to;
    } else {
      EXPECT_GE(from + 1e-3, ends[row]) << "steps of an IPU do not overlap";
      EXPECT_TRUE(!runs.count(row) || to <= runs[row] + 1e-3) << "steps are parts of their run";
      ends[row] = to;
    }
    ++steps[event.at("name")];
  }
  EXPECT_EQ(ends.size(), 4u) << "two IPUs, two clocks";
  EXPECT_EQ(runs.size(), 2u) << "two IPUs, the wall clock";
  EXPECT_EQ(steps["twice"], 2 + 4)
      << "modelled: one IPU works, in two runs; wall clock: both have the step";
  EXPECT_EQ(steps["over"], 4 + 4);
  EXPECT_EQ(steps["run 0: second"], 2);
  std::set<std::string> groups;
  for (const json &event : eventsOf(trace(), "M"))
    if (event.at("name") == "process_name")
      groups.insert(event.at("args").at("name").get<std::string>());
  EXPECT_TRUE(groups.count("IPUs, modelled clock") && groups.count("IPUs, wall clock"));
}

TEST_F(ProfileTools, TracesAreWrittenOnlyOnRequest) {
  run(R"({"enable":"false"})");
  EXPECT_TRUE(trace().is_null());
  run("enable");
  EXPECT_TRUE(trace().is_null());
  EXPECT_THAT(errors_, HasSubstr("warning: PVTI_OPTIONS"));
}

TEST_F(ProfileTools, SummariesOfAllKindsOfFilesAreTheSame) {
  run("");
  const std::string whole = summary({in("profile.pop"), "--show-execution-steps"});
  EXPECT_THAT(whole, HasSubstr("Number of IPUs:"));
  EXPECT_THAT(whole, HasSubstr("OnTileExecute (cycles "));
  EXPECT_EQ(summary({"--graph-profile", in("graph.json"), "--execution-profile",
                     in("execution.json"), "--show-execution-steps"}),
            whole);
  EXPECT_EQ(summary({"--graph-profile", in("profile.pop"), "--execution-profile", in("profile.pop"),
                     "--show-execution-steps"}),
            whole);
  EXPECT_THAT(summary({"--graph-profile", in("graph.json")}), Not(HasSubstr("Execution:")));
  EXPECT_EQ(summary({directory(), "--show-execution-steps"}), whole);
}

TEST_F(ProfileTools, SummariesHaveTheirSwitches) {
  run("");
  const auto with = [&](const char *flag) { return summary({in("profile.pop"), flag}); };
  EXPECT_THAT(with("--show-var-storage"), HasSubstr("OnTileExecute: twice"));
  EXPECT_THAT(with("--show-optimizations"), HasSubstr("Edges in place:"));
  EXPECT_THAT(with("--show-per-ipu-memory-usage"), HasSubstr("Memory on IPU 1:"));
  EXPECT_THAT(with("--colours"), HasSubstr("\033[1mExecution:"));
}

TEST_F(ProfileTools, SummariesOfOtherFilesAreErrors) {
  const Ran none({PROFILE_SUMMARY});
  EXPECT_EQ(none.code, 2);
  const Ran missing({PROFILE_SUMMARY, in("missing.pop")});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.process.errors(), HasSubstr("missing.pop"));
  std::ofstream(in("other.json")) << "{\"a\": [}";
  const Ran other({PROFILE_SUMMARY, "--graph-profile", in("other.json")});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.process.errors(), HasSubstr("other.json"));
}

TEST_F(ProfileTools, SummariesOfTooDeeplyNestedFilesAreErrors) {
  std::ofstream(in("lists.pop")) << std::string(1'000'000, '\x81');
  std::ofstream(in("maps.json")) << "{\"a\": " << std::string(1'000'000, '[');
  for (const char *file : {"lists.pop", "maps.json"}) {
    const Ran ran({PROFILE_SUMMARY, in(file)});
    EXPECT_EQ(ran.code, 1) << "not killed by a signal";
    EXPECT_THAT(ran.process.errors(), HasSubstr(file));
  }
}

} // namespace
} // namespace copse::test
