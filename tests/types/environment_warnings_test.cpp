#include "types/environment_warnings.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace copse::types {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> warningsOf(const std::vector<std::string> &environment) {
  return environmentWarnings(environment);
}

TEST(EnvironmentWarnings, NameUnknownVariablesAndTheNearest) {
  EXPECT_THAT(
      warningsOf({"COPSE_IPU=3", "PATH=/bin", "COPSE_IPUS=3", "IPUS=3"}),
      ElementsAre("nothing reads the environment variable COPSE_IPU; did you mean 'COPSE_IPUS'?"));
  EXPECT_THAT(warningsOf({"COPSE_UNHEARD_OF_ALTOGETHER=1"}),
              ElementsAre("nothing reads the environment variable COPSE_UNHEARD_OF_ALTOGETHER"));
}

TEST(EnvironmentWarnings, NameACacheLimitThatIsNotANumber) {
  for (const char *good : {"COPSE_CACHE_MIB=0", "COPSE_CACHE_MIB=4096"})
    EXPECT_THAT(warningsOf({good}), IsEmpty());
  for (const char *bad :
       {"COPSE_CACHE_MIB=abc", "COPSE_CACHE_MIB=", "COPSE_CACHE_MIB=-1", "COPSE_CACHE_MIB=1G"})
    EXPECT_EQ(warningsOf({bad}).size(), 1u) << bad;
}

TEST(EnvironmentWarnings, NameValuesThatAreReplaced) {
  for (const char *good : {"COPSE_LOG_FORMAT=json", "COPSE_PROGRESS=0", "COPSE_PROGRESS=1",
                           "COPSE_NO_MEMORY_SHARING=1", "COPSE_NO_MEMORY_SHARING="})
    EXPECT_THAT(warningsOf({good}), IsEmpty());
  EXPECT_THAT(
      warningsOf({"COPSE_NO_MEMORY_SHARING=0"}),
      ElementsAre("COPSE_NO_MEMORY_SHARING is '0', which switches memory sharing off as any value "
                  "does; unset it to share memory"));
  for (const char *bad : {"COPSE_LOG_FORMAT=xml", "COPSE_PROGRESS=off"})
    EXPECT_EQ(warningsOf({bad}).size(), 1u) << bad;
}

TEST(EnvironmentWarnings, NameModulesWithoutALog) {
  EXPECT_THAT(warningsOf({"POPLAR_LOG_LEVEL=INFO", "POPLAR_ENGINE_LOG_LEVEL=INFO"}), IsEmpty());
  EXPECT_THAT(
      warningsOf({"POPLAR_ENGIN_LOG_LEVEL=INFO"}),
      ElementsAre("nothing reads the environment variable POPLAR_ENGIN_LOG_LEVEL: no module "
                  "is called 'ENGIN'; did you mean 'ENGINE'?"));
}

TEST(EnvironmentWarnings, NameClusterVariablesWithoutACluster) {
  EXPECT_THAT(warningsOf({"COPSE_HOST=a", "COPSE_PARTITION=b"}),
              ElementsAre("COPSE_HOST has no effect without COPSE_CLUSTER",
                          "COPSE_PARTITION has no effect without COPSE_CLUSTER"));
  for (const char *cluster :
       {"COPSE_CLUSTER=c.json", "IPUOF_VIPU_API_PARTITION_ID=p", "IPUOF_CONFIG_PATH=p.conf"})
    EXPECT_THAT(warningsOf({"COPSE_HOST=a", cluster}), IsEmpty());
}

TEST(EnvironmentWarnings, KnowAllVariablesOfTheirPage) {
  std::ifstream page(COPSE_ENVIRONMENT_PAGE);
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  const std::regex variable("`(COPSE_[A-Z_]+)`");
  std::set<std::string> environment;
  for (std::sregex_iterator match(text.begin(), text.end(), variable), end; match != end; ++match)
    environment.insert((*match)[1].str() + "=1");
  EXPECT_GT(environment.size(), 25u);
  EXPECT_THAT(warningsOf({environment.begin(), environment.end()}),
              Not(Contains(HasSubstr("nothing reads"))));
}

} // namespace
} // namespace copse::types
