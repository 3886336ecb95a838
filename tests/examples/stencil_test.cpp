#include "child_process.hpp"

#include <gmock/gmock.h>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Returns the output of a run, from the second line on: the first names the device.
std::string resultsOf(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), STENCIL_PROGRAM);
  ChildProcess stencil(arguments);
  EXPECT_EQ(stencil.wait(60s), 0) << stencil.output() << stencil.errors();
  const std::string output = stencil.output();
  return output.substr(std::min(output.size(), output.find('\n') + 1));
}

std::vector<std::string> small(const std::string &replicas, const std::string &device = "ipu") {
  return {"--rows", "96",         "--columns", "20",       "--steps",
          "30",     "--replicas", replicas,    "--device", device};
}

/// Returns the lines that do not depend on the duration.
std::string withoutCycles(const std::string &results) {
  return results.substr(std::min(results.size(), results.find('\n')));
}

TEST(Stencil, ComputesTheHostsResultHoweverRowsAreSpread) {
  const std::string one = withoutCycles(resultsOf(small("1")));
  EXPECT_THAT(one, HasSubstr("off the host's     0 at most"));
  for (const char *replicas : {"2", "4"})
    EXPECT_EQ(withoutCycles(resultsOf(small(replicas))), one) << replicas;
}

TEST(Stencil, GivesTheSameOnEveryKindOfDevice) {
  const std::string ipus = resultsOf(small("2"));
  EXPECT_EQ(resultsOf(small("2", "ipumodel")), ipus);
  EXPECT_EQ(withoutCycles(resultsOf(small("2", "cpu"))), withoutCycles(ipus));
}

TEST(Stencil, RefusesRowsThatCannotBeDividedAmongTiles) {
  ChildProcess stencil({STENCIL_PROGRAM, "--rows", "10", "--replicas", "4"});
  EXPECT_NE(stencil.wait(10s), 0);
  EXPECT_THAT(stencil.errors(), HasSubstr("multiple of --replicas"));
}

} // namespace
} // namespace copse::test
