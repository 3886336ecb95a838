// Tests what another user of the machine can do to daemons of this one.
#include "cluster_nodes.hpp"
#include "copse_up.hpp"
#include "other_user.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

/// Sets a umask that removes no permission, like a careless start script.
class OpenUmask {
public:
  OpenUmask() : before_(::umask(0)) {}
  ~OpenUmask() { ::umask(before_); }
  OpenUmask(const OpenUmask &) = delete;
  OpenUmask &operator=(const OpenUmask &) = delete;

private:
  mode_t before_;
};

std::vector<fs::path> socketsIn(const fs::path &folder) {
  std::vector<fs::path> all;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.is_socket())
      all.push_back(entry.path());
  return all;
}

TEST(OtherUsers, ReachNoUnixSocketWhateverUmaskAndDirectory) {
  const OpenUmask open;
  const ClusterNodes nodes(2);
  const fs::path folder = fs::path(nodes.file()).parent_path();
  fs::permissions(folder, fs::perms(0777));
  ChildProcess rbufd({std::string(TOOLS_FOLDER) + "/rbufd", "--listen",
                      "ipc://" + (folder / "rbufd").string(), "--log-level", "off"});
  ASSERT_TRUE(rbufd.waitForOutput("\n", 20s)) << rbufd.errors();
  const auto sockets = socketsIn(folder);
  EXPECT_GE(sockets.size(), 2 * 3 + 1U) << "control, link and sync of each ipud, and the rbufd";
  for (const fs::path &path : sockets) {
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U) << path;
    if (::geteuid() != 0)
      continue; // only root can become another user
    for (const int type : {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM})
      EXPECT_EQ(reach(path, type), Reached::CannotConnect) << path;
  }
}

class OtherUsersOfACluster : public CopseUp {
protected:
  /// Returns the state of an ipud as seen by a user who has the cluster file but no keys.
  wire::Result<wire::session::State> stateForStrangers() {
    const auto cluster = cluster::readCluster(directory() / "cluster.json");
    EXPECT_TRUE(cluster.ok()) << cluster.status().message;
    return session::inspectNode(context_, session::nodeAt(*cluster, 0, nullptr), 1s);
  }
  zmq::context_t context_{1};
};

TEST_F(OtherUsersOfACluster, HaveNoKeysOverTcp) {
  const Outcome up = copse({"up", "--ipus", "2", "--transport", "tcp"});
  ASSERT_EQ(up.code, 0) << up.errors;
  EXPECT_FALSE(stateForStrangers().ok());
  EXPECT_EQ(status()["ipus"][1]["state"], "free") << "programs of this user find the keys";
  EXPECT_EQ(copse({"down"}).code, 0);
  EXPECT_FALSE(fs::exists(directory())) << "nor do keys stay";
}

TEST_F(OtherUsersOfACluster, NeedNoKeysIfTheUserAllowsIt) {
  const Outcome up = copse({"up", "--ipus", "2", "--transport", "tcp", "--insecure"});
  ASSERT_EQ(up.code, 0) << up.errors;
  EXPECT_THAT(up.errors, HasSubstr("every user of this machine can run code in these ipuds"));
  EXPECT_TRUE(stateForStrangers().ok());
}

TEST_F(OtherUsersOfACluster, AreKeptOutByTheDirectoryOverShm) {
  for (const char *const option : {"--keys", "--insecure"}) {
    const Outcome up = copse({"up", "--ipus", "2", option});
    EXPECT_NE(up.code, 0);
    EXPECT_THAT(up.errors, HasSubstr("--transport tcp"));
    EXPECT_FALSE(fs::exists(directory()));
  }
}

} // namespace
} // namespace copse::test
