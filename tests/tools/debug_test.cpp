#include "child_process.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <unistd.h>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

struct Debugged {
  int code = -1;
  std::string output, errors;
};

/// Runs copse debug, with commands for gdb.
Debugged debugged(const std::vector<std::string> &options, const std::vector<std::string> &commands,
                  const std::vector<std::string> &program) {
  std::vector<std::string> command{std::string(TOOLS_FOLDER) + "/copse", "debug", "--batch"};
  command.insert(command.end(), options.begin(), options.end());
  for (const std::string &one : commands)
    command.insert(command.end(), {"--ex", one});
  command.insert(command.end(), program.begin(), program.end());
  ChildProcess process(command);
  Debugged result;
  result.code = process.wait(120s).value_or(-1);
  result.output = process.output();
  result.errors = process.errors();
  return result;
}

const std::vector<std::string> kProgram{DEBUGGED_PROGRAM};
constexpr char kResults[] = "0.5 3 5.5 8 10.5 13 15.5 18 -20.5 -23 -25.5 -28 ";

class CopseDebug : public ::testing::Test {
protected:
  void SetUp() override {
    if (std::system("gdb --version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "gdb is not installed";
  }
};

TEST_F(CopseDebug, StopsInTheSourceOfACodelet) {
  const Debugged d = debugged({"--break", "Scale:2"},
                              {"backtrace", "next", "print i", "copse clear",
                               "break codelets.cpp:20", "continue", "print sum", "continue"},
                              kProgram);
  EXPECT_EQ(d.code, 0) << d.errors;
  EXPECT_THAT(d.output,
              HasSubstr("ipu 0, tile 2, worker 0: vertex 'Scale' of compute set 'scale'"));
  EXPECT_THAT(d.output, HasSubstr("Scale::compute"));
  EXPECT_THAT(d.output, HasSubstr("codelets.cpp:"));
  EXPECT_THAT(d.output, HasSubstr("for (unsigned i = 0; i < in.size(); ++i) {"));
  EXPECT_THAT(d.output, HasSubstr("$1 = 0"));
  EXPECT_THAT(d.output, HasSubstr("$2 = 95"));
  EXPECT_THAT(d.output, Not(HasSubstr("CodeletThread"))) << "a backtrace ends with the codelet";
  EXPECT_THAT(d.output, HasSubstr(kResults)) << "the program goes on when gdb has gone";
}

TEST_F(CopseDebug, PrintsFieldsWithTheirElements) {
  const Debugged d = debugged({"--break", "Scale:1"},
                              {"print in", "print factor", "print in[1]", "print in.size()", "next",
                               "next", "next", "print *this"},
                              kProgram);
  EXPECT_THAT(d.output, HasSubstr("$1 = 4 of type float at 0x"));
  EXPECT_THAT(d.output, HasSubstr("= {4, 5, 6, 7}"));
  EXPECT_THAT(d.output, HasSubstr("$2 = 2.5 at 0x"));
  EXPECT_THAT(d.output, HasSubstr("$3 = 5\n$4 = 4\n"));
  EXPECT_THAT(d.output, HasSubstr("offset = 0.5}")) << "the vertex stays in sight";
}

TEST_F(CopseDebug, PrintsFieldsWithinFields) {
  const Debugged d =
      debugged({"--break", "SumOfRows<*"}, {"print rows", "print more", "print out"}, kProgram);
  EXPECT_THAT(d.output, HasSubstr("vertex 'SumOfRows<float>'"));
  EXPECT_THAT(d.output, HasSubstr("= {0, 1, 2, 3}, 4 of type float"));
  EXPECT_THAT(d.output, HasSubstr("3 rows of type float = {{1, 1}, {1, 1}, {1, 1}}"));
  EXPECT_THAT(d.output, HasSubstr("whose number is not in the vertex"));
}

TEST_F(CopseDebug, StopsAtEachRequestedVertex) {
  const Debugged d =
      debugged({"--break", "Scale"}, {"continue", "copse break Negate", "continue"}, kProgram);
  for (const char *const where :
       {"tile 0, worker 0: vertex 'Scale'", "tile 1, worker 0: vertex 'Scale'",
        "tile 2, worker 0: vertex 'Negate'"})
    EXPECT_THAT(d.output, HasSubstr(where)) << d.errors;
  EXPECT_THAT(d.output, Not(HasSubstr("tile 2, worker 0: vertex 'Scale'")));
}

TEST_F(CopseDebug, ShowsASourceWithoutAFile) {
  const Debugged d = debugged({"--break", "Negate"}, {"print data"}, kProgram);
  EXPECT_THAT(d.output, HasSubstr("for (auto &value : data)"));
  EXPECT_THAT(d.output, HasSubstr("= {20.5, 23, 25.5, 28}"));
}

TEST_F(CopseDebug, StopsAnIpuWithinTheProgram) {
  const Debugged d =
      debugged({"--break", "Scale:0"}, {"print in"}, {DEBUGGED_PROGRAM, "--device", "ipumodel"});
  EXPECT_EQ(d.code, 0) << d.errors;
  EXPECT_THAT(d.output, HasSubstr("= {0, 1, 2, 3}"));
}

TEST_F(CopseDebug, StopsOneIpuWhileOthersWait) {
  const Debugged d = debugged({"--break", "Scale:1", "--ipu", "1"}, {"shell sleep 4", "print in"},
                              {DEBUGGED_PROGRAM, "--ipus", "2"});
  EXPECT_EQ(d.code, 0) << d.errors; // silence of more than 3 s loses neither the IPU nor its link
  EXPECT_THAT(d.output, HasSubstr("ipu 1, tile 1"));
  EXPECT_THAT(d.output, HasSubstr("= {16, 17, 18, 19}"));
}

TEST_F(CopseDebug, StepsThroughTileCode) {
  const Debugged d =
      debugged({"--break", "DotInAssembly"},
               {"tile disassemble", "tile step 2", "tile registers", "tile break dot.S:48",
                "copse clear", "continue", "tile memory 0x4c000 1", "tile delete"},
               {ASSEMBLY_PROGRAM, "--elements", "16"});
  EXPECT_EQ(d.code, 0) << d.errors;
  EXPECT_THAT(d.output, HasSubstr("=> 0x4c000  setzi $a4, 8  __runCodelet_DotInAssembly"));
  EXPECT_THAT(d.output, HasSubstr("tile 0, worker 0: 0x4c00c  ld32 $m1, $mvertex_base, $mzero, 1"));
  EXPECT_THAT(d.output, HasSubstr("worker 0: pc 0x4c00c, cycle 2"));
  EXPECT_THAT(d.output, HasSubstr("$a4  0x00000008"));
  EXPECT_THAT(d.output, HasSubstr("tile 0, worker 0: 0x4c030  f32v2gina $a4:5, $azeros, 0"));
  EXPECT_THAT(d.output, HasSubstr("0x4c000  0x1a400008"));
  EXPECT_THAT(d.output, HasSubstr("DotInAssembly               145 cycles"));
}

TEST_F(CopseDebug, ListsTheVerticesIfNoneIsReached) {
  const Debugged d = debugged({"--break", "Scael"}, {}, kProgram);
  EXPECT_EQ(d.code, 1);
  EXPECT_THAT(d.errors,
              HasSubstr("before an IPU reached a vertex 'Scael'; its vertices are Negate, "
                        "Scale, SumOfRows<float>"));
}

TEST_F(CopseDebug, ReportsAMissingProgramOnce) {
  const Debugged d = debugged({}, {}, {"./nope"});
  EXPECT_EQ(d.code, 2);
  EXPECT_EQ(d.errors, "copse: ./nope: No such file or directory\n");
}

TEST(CopseDebugAlone, ReportsThatGdbIsMissing) {
  ChildProcess process({std::string(TOOLS_FOLDER) + "/copse", "debug", DEBUGGED_PROGRAM},
                       {{"PATH", "/nowhere"}});
  EXPECT_EQ(process.wait(60s), 1);
  EXPECT_THAT(process.errors(),
              HasSubstr("'gdb' was not found on the PATH; install the package gdb"));
}

} // namespace
} // namespace copse::test
