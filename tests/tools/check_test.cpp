#include "child_process.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Checked {
  int code = -1;
  json findings;
  std::string output, errors;
};

Checked checked(const std::vector<std::string> &program,
                const std::vector<std::string> &options = {}) {
  const TemporaryFolder folder;
  const std::string file = folder.file("findings.json");
  std::vector<std::string> command{std::string(TOOLS_FOLDER) + "/copse", "check", "--json",
                                   "--output", file};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), program.begin(), program.end());
  ChildProcess process(command);
  Checked result;
  result.code = process.wait(170s).value_or(-1);
  result.output = process.output();
  result.errors = process.errors();
  std::ifstream in(file);
  result.findings = json::parse(in, nullptr, false);
  return result;
}

/// Returns ":12", the line of a codelet's fault, in whichever of the two files it is.
std::string lineOf(const std::string &fault) {
  for (const char *const name : {"/faulty_codelets.cpp", "/faulty_codelets.S"}) {
    std::ifstream file(std::string(FAULTY_FOLDER) + name);
    int number = 1;
    for (std::string line; std::getline(file, line); ++number)
      if (line.ends_with("// the fault of " + fault))
        return std::string(name) + ":" + std::to_string(number);
  }
  return "";
}

struct Fault {
  const char *name;
  const char *kind;
  const char *access;
  const char *field;    ///< field of a vertex
  int index;            ///< index in the field
  const char *variable; ///< nullptr: whichever
};

// Codelets and the faults that were planted in them.
const Fault kFaults[] = {
    {"ReadsBehind", "memory", "read", "in", 4, nullptr},
    {"ReadsInFront", "memory", "read", "in", -4, nullptr},
    {"WritesBehind", "memory", "write", "out", 4, nullptr},
    {"WritesInput", "memory", "write", "in", 3, "in"},
    {"WritesState", "memory", "write", "table", 4, ""},
    {"ReadsBehindInner", "memory", "read", "in", 4, nullptr},
    {"ReadsBehindList", "memory", "read", "in", -4, nullptr},
    {"FillsTooMuch", "memory", "write", "out", 4, nullptr},
    {"ReadsOtherTile", "memory", "read", "", 0, nullptr},
    {"ReadsBehindInline", "memory", "read", "in", 4, nullptr},
    {"ReadsBehindInAssembly", "memory", "read", "in", 4, nullptr},
    {"WorkersWriteTheSame", "race", "write", "out", 0, "out"},
    {"WorkerReadsOfOther", "race", "read", "out", 0, "out"},
    {"WorkersShareWords", "race", "write", "out", 0, "out"},
    {"WritesBytes", "race", "write", "out", 0, "out"},
    {"ReadsBeforeItWrites", "init", "read", "out", 1, "out"},
    {"ReadsUnwritten", "init", "read", "in", 3, "unwritten"},
    {"ReadsMisaligned", "alignment", "read", "in", 0, "in"},
};

class CheckedCodelet : public ::testing::TestWithParam<Fault> {};

TEST_P(CheckedCodelet, FaultIsTheOnlyFinding) {
  const Fault &fault = GetParam();
  const Checked run = checked({FAULTY_PROGRAM, fault.name});
  EXPECT_EQ(run.code, 3) << run.errors;
  ASSERT_THAT(run.findings, SizeIs(1)) << run.findings.dump(2) << run.errors;
  const json &found = run.findings[0];
  EXPECT_EQ(found["kind"], fault.kind) << found.dump(2);
  EXPECT_EQ(found["access"], fault.access);
  EXPECT_EQ(found["vertex"], fault.name);
  EXPECT_EQ(found["compute_set"], "faulty");
  EXPECT_EQ(found["tile"], 1);
  EXPECT_EQ(found["field"], fault.field) << found.dump(2);
  if (*fault.field != '\0') {
    EXPECT_EQ(found["index"], fault.index) << found.dump(2);
  }
  if (fault.variable != nullptr) {
    EXPECT_EQ(found["variable"], fault.variable);
  }
  EXPECT_THAT(found["source"].get<std::string>(), EndsWith(lineOf(fault.name)));
}
INSTANTIATE_TEST_SUITE_P(Fault, CheckedCodelet, ::testing::ValuesIn(kFaults),
                         [](const auto &fault) { return fault.param.name; });

class CheckedControl : public ::testing::TestWithParam<const char *> {};

TEST_P(CheckedControl, ReadOfUnwrittenMemoryIsTheOnlyFinding) {
  const Checked run = checked({FAULTY_PROGRAM, GetParam()});
  EXPECT_EQ(run.code, 3) << run.errors;
  ASSERT_THAT(run.findings, SizeIs(1)) << run.findings.dump(2) << run.errors;
  EXPECT_EQ(run.findings[0]["kind"], "init");
  EXPECT_EQ(run.findings[0]["variable"], "unwritten");
}
INSTANTIATE_TEST_SUITE_P(Fault, CheckedControl,
                         ::testing::Values("CopiesUnwritten", "StreamsUnwritten", "PrintsUnwritten",
                                           "BranchesOnUnwritten", "ReadsUndefined"),
                         [](const auto &fault) { return std::string(fault.param); });

class CheckedDevice : public ::testing::TestWithParam<const char *> {};

TEST_P(CheckedDevice, ReportsTheSameFindings) {
  const Checked good = checked({FAULTY_PROGRAM, "Good", GetParam()});
  EXPECT_EQ(good.code, 0) << good.findings.dump(2) << good.errors;
  EXPECT_THAT(good.findings, SizeIs(0));
  EXPECT_THAT(good.output, HasSubstr("ran"));
  EXPECT_THAT(good.errors, HasSubstr("copse check: no faults"));
  const Checked bad = checked({FAULTY_PROGRAM, "WritesBehind", GetParam()});
  EXPECT_EQ(bad.code, 3) << bad.errors;
  EXPECT_THAT(bad.findings, SizeIs(1)) << bad.findings.dump(2);
}
INSTANTIATE_TEST_SUITE_P(Device, CheckedDevice, ::testing::Values("ipu", "ipumodel"),
                         [](const auto &device) { return std::string(device.param); });

TEST(Check, FindsNothingInLoopsThatReadTheirOwnWrites) {
  const Checked run = checked({FAULTY_PROGRAM, "GoodLoops"});
  EXPECT_EQ(run.code, 0) << run.findings.dump(2) << run.errors;
}

TEST(Check, FindsNothingInCopiesOfNothingBesideAnotherWorkersElements) {
  const Checked run = checked({FAULTY_PROGRAM, "CopiesNothing"});
  EXPECT_EQ(run.code, 0) << run.findings.dump(2) << run.errors;
}

TEST(Check, ReportsAMissingProgramOnce) {
  for (const char *command : {"check", "trace"}) {
    ChildProcess process({std::string(TOOLS_FOLDER) + "/copse", command, "./nope"});
    EXPECT_EQ(process.wait(60s), 2) << command;
    EXPECT_EQ(process.errors(), "copse: ./nope: No such file or directory\n") << command;
  }
}

TEST(Check, PrintsOneLineForEachFault) {
  ChildProcess process(
      {std::string(TOOLS_FOLDER) + "/copse", "check", FAULTY_PROGRAM, "WritesBehind"});
  EXPECT_EQ(process.wait(170s), 3);
  EXPECT_THAT(process.output(),
              HasSubstr("memory: " FAULTY_FOLDER + lineOf("WritesBehind") +
                        ": ipu 0, tile 1: vertex 'WritesBehind' of compute set 'faulty' writes 4 "
                        "bytes at "));
  EXPECT_THAT(process.output(), HasSubstr(": element 4 of field 'out', which has 4"));
  EXPECT_THAT(process.errors(), HasSubstr("copse check: 1 fault"));
}

TEST(Check, OmitsFaultsOfSuppressedVertices) {
  const Checked run = checked({FAULTY_PROGRAM, "WritesBehind"}, {"--suppress", "Writes*"});
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_THAT(run.findings, SizeIs(0));
}

TEST(Check, OmitsFaultsOfVerticesInAFile) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("known")) << "# not ours\n\nReads*\n  WritesBehind  # issue 7\n";
  const Checked run =
      checked({FAULTY_PROGRAM, "WritesBehind"}, {"--suppress-file", folder.file("known")});
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_THAT(run.findings, SizeIs(0));
  EXPECT_EQ(checked({FAULTY_PROGRAM, "Good"}, {"--suppress-file", folder.file("none")}).code, 1);
}

/// Returns a .gp file of the codelets.
std::string precompiled(const TemporaryFolder &folder,
                        const std::vector<std::string> &options = {}) {
  const std::string file = folder.file("faulty.gp");
  std::vector<std::string> command{std::string(TOOLS_FOLDER) + "/popc",
                                   "--target",
                                   "ipu2",
                                   "-o",
                                   file,
                                   std::string(FAULTY_FOLDER) + "/faulty_codelets.cpp"};
  command.insert(command.end(), options.begin(), options.end());
  ChildProcess process(command);
  EXPECT_EQ(process.wait(170s), 0) << process.errors();
  return file;
}

TEST(Check, CompilesPrecompiledCodeletsAgain) {
  const TemporaryFolder folder;
  const Checked run = checked({FAULTY_PROGRAM, "WritesBehind", "ipu", precompiled(folder)});
  EXPECT_EQ(run.code, 3) << run.errors;
  ASSERT_THAT(run.findings, SizeIs(1)) << run.findings.dump(2) << run.errors;
  EXPECT_THAT(run.findings[0]["source"].get<std::string>(), EndsWith(lineOf("WritesBehind")));
}

TEST(Check, ReportsPrecompiledCodeletsWithoutSources) {
  const TemporaryFolder folder;
  const Checked run =
      checked({FAULTY_PROGRAM, "WritesBehind", "ipu", precompiled(folder, {"--no-sources"})});
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("has no sources"));
}

TEST(Check, ReportsAProgramThatLoadsNothing) {
  const Checked run = checked({"/bin/true"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.errors, HasSubstr("has loaded nothing"));
}

TEST(Check, HasTheExitCodeOfAProgramWithoutFaults) { EXPECT_EQ(checked({"/bin/false"}).code, 1); }

} // namespace
} // namespace copse::test
