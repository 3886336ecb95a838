#include "child_process.hpp"

#include <gmock/gmock.h>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

std::string outputOf(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), ASSEMBLY_PROGRAM);
  ChildProcess assembly(arguments);
  EXPECT_EQ(assembly.wait(60s), 0) << assembly.output() << assembly.errors();
  return assembly.output();
}

TEST(AssemblyExample, ComputesTheHostsResultsInBothLanguages) {
  for (const char *device : {"ipu", "ipumodel"}) {
    const std::string output = outputOf({"--device", device});
    EXPECT_THAT(output, HasSubstr("RowProductInAssembly"));
    EXPECT_THAT(output, Not(HasSubstr("NOT as the host")));
  }
}

TEST(AssemblyExample, TakesAsManyCyclesAsItsInstructions) {
  // The loop has two bundles for four elements, six tile cycles each.
  const auto cyclesOf = [](const std::string &elements) {
    const std::string output = outputOf({"--elements", elements});
    return std::stol(output.substr(output.find("DotInAssembly") + 22));
  };
  EXPECT_EQ(cyclesOf("264") - cyclesOf("8"), 64 * 2 * 6);
}

TEST(AssemblyExample, PrintsTheSameWhenAllIsInterpreted) {
  const auto withTileCode = [](const std::string &how) {
    ChildProcess assembly({ASSEMBLY_PROGRAM, "--elements", "4096"}, {{"COPSE_TILE_CODE", how}});
    EXPECT_EQ(assembly.wait(60s), 0) << assembly.output() << assembly.errors();
    return assembly.output();
  };
  EXPECT_EQ(withTileCode("interpreted"), withTileCode("translated"));
}

TEST(AssemblyExample, RefusesUnknownExecutionModes) {
  ChildProcess assembly({ASSEMBLY_PROGRAM}, {{"COPSE_TILE_CODE", "compiled"}});
  EXPECT_NE(assembly.wait(60s), 0);
  EXPECT_THAT(assembly.errors(),
              HasSubstr("COPSE_TILE_CODE is 'compiled'; set it to translated or interpreted"));
}

TEST(AssemblyExample, RefusesElementsThatAreNotWholeGroups) {
  ChildProcess assembly({ASSEMBLY_PROGRAM, "--elements", "10"});
  EXPECT_NE(assembly.wait(10s), 0);
  EXPECT_THAT(assembly.errors(), HasSubstr("must be a multiple of 4"));
}

} // namespace
} // namespace copse::test
