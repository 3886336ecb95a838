#include "cluster/key_files.hpp"
#include "keyed_nodes.hpp"
#include "temporary_folder.hpp"

#include "fabric/keys.hpp"
#include "wire/envelope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sys/stat.h>
#include <thread>

namespace copse::fabric {

using namespace cluster;

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using wire::Code;

class KeyFiles : public ::testing::Test {
protected:
  KeyFiles() {
    cluster_.ipus.resize(2);
    cluster_.rbufd.emplace();
    cluster_.hosts = {"alice", "bob"};
    cluster_.keys = folder_.path() / "keys";
  }
  std::size_t write() {
    const auto written = writeKeys(cluster_.keys, nodesOf(cluster_));
    EXPECT_TRUE(written.ok()) << written.status().message;
    return written ? *written : 0;
  }
  std::string messageFor(const std::string &name) const {
    return keysOf(cluster_, name).status().message;
  }

  copse::test::TemporaryFolder folder_;
  Cluster cluster_;
};

TEST_F(KeyFiles, AreWrittenForEveryNodeAndForItsUserOnly) {
  EXPECT_EQ(write(), 5U);
  for (const char *name : {"alice", "bob", "ipu-0", "ipu-1", "rbufd"}) {
    struct stat info {};
    ASSERT_EQ(::stat((cluster_.keys / (std::string(name) + ".key")).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 0777, 0600U) << name;
    const auto keys = keysOf(cluster_, name);
    ASSERT_TRUE(keys.ok()) << keys.status().message;
    EXPECT_EQ((*keys)->self(), name);
  }
}

TEST_F(KeyFiles, PreserveExistingKeys) {
  write();
  cluster_.ipus.resize(4);
  EXPECT_EQ(write(), 2U) << "those of the two IPUs that are new";
}

TEST_F(KeyFiles, BelongToTheFirstHostProgramUnlessOneIsNamed) {
  write();
  EXPECT_EQ((*keysOfHost(cluster_))->self(), "alice");
  ::setenv("COPSE_HOST", "bob", 1);
  EXPECT_EQ((*keysOfHost(cluster_))->self(), "bob");
  ::unsetenv("COPSE_HOST");
}

TEST_F(KeyFiles, AreEmptyForAClusterWithoutKeys) {
  cluster_.keys.clear();
  const auto keys = keysOf(cluster_, "ipu-0");
  ASSERT_TRUE(keys.ok());
  EXPECT_EQ(*keys, nullptr);
}

TEST_F(KeyFiles, AreRefusedIfOtherUsersMayReadThem) {
  write();
  std::filesystem::permissions(cluster_.keys / "ipu-0.key", std::filesystem::perms(0640));
  EXPECT_THAT(messageFor("ipu-0"), HasSubstr("others may read it; chmod 600 it"));
}

TEST_F(KeyFiles, NameTheirFault) {
  EXPECT_THAT(messageFor("ipu-0"), HasSubstr("write it with copse keys"));
  write();
  EXPECT_THAT(messageFor("ipu-7"), HasSubstr("ipu-7.key"));
  { std::ofstream(cluster_.keys / "public.json") << "{\"ipu-0\": \"short\"}"; }
  EXPECT_THAT(messageFor("ipu-0"), HasSubstr("'ipu-0' has no key of 40 characters"));
  { std::ofstream(cluster_.keys / "public.json") << "{}"; }
  EXPECT_THAT(messageFor("ipu-0"), HasSubstr("copy them to all nodes"));
  { std::ofstream(cluster_.keys / "ipu-1.key") << "no key"; }
  EXPECT_THAT(messageFor("ipu-1"), HasSubstr("holds no pair of keys"));
}

TEST(Exposure, IncludesEndpointsThatOtherMachinesCanReach) {
  EXPECT_TRUE(checkLoopback({"tcp://127.0.0.1:*", "tcp://localhost:1", "tcp://[::1]:1",
                             "tcp://127.1.2.3:1", "tcp://[0:0::1]:1", "tcp://[::ffff:127.0.0.1]:1",
                             "ipc:///run/c", "inproc://c"})
                  .ok());
  for (const char *open : {"tcp://0.0.0.0:7100", "tcp://*:7100", "tcp://10.0.0.1:*", "tcp://[::]:1",
                           "tcp://[::ffff:10.0.0.1]:1", "tcp://127.evil.test:1", "tcp://eth0:7100"})
    EXPECT_THAT(checkLoopback({"tcp://127.0.0.1:1", open}).message, HasSubstr("--insecure"))
        << open;
}

} // namespace
} // namespace copse::fabric
