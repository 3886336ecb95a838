// Tests how a node of a cluster ends.
#include "cluster_nodes.hpp"
#include "namespaces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(IpudEnd, ReportsToTheHostThatItWasAskedToEnd) {
  ClusterNodes nodes(2, 60s); // so long that silence is not what the host notices
  ChildProcess host({COPSE_HOST_PROGRAM, "2", "forever"}, nodes.environment());
  ASSERT_TRUE(host.waitForOutput("device 2", 30s)) << host.errors();
  ASSERT_TRUE(soon([&] { return nodes.state(0).running; }));
  nodes.process(1).kill(SIGTERM);
  EXPECT_EQ(nodes.process(1).wait(2s), 0) << "it must end within two seconds";
  EXPECT_EQ(host.wait(30s), 4);
  EXPECT_THAT(host.output(), HasSubstr("is gone: it was told to end"));
}

TEST(IpudEnd, WorksForProcess1) {
  if (!mayUnshare(CLONE_NEWPID))
    GTEST_SKIP() << "this process may not make a namespace of processes";
  ChildProcess parent({"unshare", "--pid", "--fork", "--kill-child", COPSE_IPUD_PATH});
  ASSERT_TRUE(parent.waitForOutput("\"pid\":1,", 20s)) << parent.output() << parent.errors();
  const auto children = parent.children();
  ASSERT_EQ(children.size(), 1U);
  ASSERT_EQ(::kill(children[0], SIGTERM), 0);
  EXPECT_EQ(parent.wait(2s), 0);
}

} // namespace
} // namespace copse::test
