// Tests copse up that is killed, several copse up at once, and copse down after them.
#include "copse_up.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class InterruptedUp : public CopseUp {
protected:
  /// Returns the processes whose command line names the cluster file.
  std::vector<pid_t> daemons() const {
    std::vector<pid_t> all;
    std::error_code ignored; // processes end while they are looked at
    for (fs::directory_iterator at("/proc", ignored), end; at != end; at.increment(ignored)) {
      std::ifstream file(at->path() / "cmdline", std::ios::binary);
      const std::string words{std::istreambuf_iterator<char>(file), {}};
      if (words.find((directory() / "cluster.json").string()) != std::string::npos)
        all.push_back(std::stoi(at->path().filename()));
    }
    return all;
  }
  std::unique_ptr<ChildProcess> start(std::vector<std::string> words) const {
    words.insert(words.begin(), {std::string(TOOLS_FOLDER) + "/copse", "up"});
    return std::make_unique<ChildProcess>(std::move(words), environment());
  }
};

TEST_F(InterruptedUp, LeavesNothingAfterDownWhateverTheMoment) {
  for (const auto &[transport, step] : {std::pair{"shm", 4ms}, {"tcp", 9ms}})
    for (int round = 0; round < 12; ++round) {
      const auto moment = step * round;
      auto up = start({"--ipus", "4", "--transport", transport});
      std::this_thread::sleep_for(moment);
      up->kill(SIGKILL);
      ASSERT_TRUE(up->wait(10s).has_value());
      const Outcome down = copse({"down"});
      EXPECT_TRUE(down.code == 0 || down.errors.find("no cluster is up") != std::string::npos)
          << moment.count() << " ms: " << down.errors;
      EXPECT_THAT(daemons(), IsEmpty()) << transport << " after " << moment.count() << " ms";
      EXPECT_FALSE(fs::exists(directory())) << transport << " after " << moment.count() << " ms";
    }
}

TEST_F(InterruptedUp, IsCompletedByTheNextUp) {
  for (const auto moment : {10ms, 25ms, 50ms}) {
    auto up = start({"--ipus", "4"});
    std::this_thread::sleep_for(moment);
    up->kill(SIGKILL);
    ASSERT_TRUE(up->wait(10s).has_value());
    const Outcome again = copse({"up", "--ipus", "4"});
    EXPECT_EQ(again.code, 0) << again.errors;
    EXPECT_EQ(status()["ipus"].size(), 4U);
    EXPECT_EQ(daemons().size(), 5U) << "with the rbufd";
    EXPECT_EQ(copse({"down"}).code, 0);
  }
}

TEST_F(InterruptedUp, SeveralUpsAtOnceMakeOneCluster) {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<ChildProcess>> all;
    for (int i = 0; i < 8; ++i)
      all.push_back(start({"--ipus", "2", "--transport", round == 0 ? "tcp" : "shm"}));
    int succeeded = 0;
    for (const auto &up : all) {
      const auto code = up->wait(60s);
      succeeded += code == 0 ? 1 : 0;
      if (code != 0) {
        EXPECT_EQ(code, 1);
        EXPECT_THAT(up->errors(), HasSubstr("is at work in " + directory().string()));
      }
    }
    EXPECT_GE(succeeded, 1);
    for (const auto &ipu : status()["ipus"])
      EXPECT_EQ(ipu["state"], "free");
    EXPECT_EQ(daemons().size(), 3U) << "with the rbufd";
    EXPECT_EQ(copse({"down"}).code, 0);
    EXPECT_THAT(daemons(), IsEmpty());
  }
}

TEST_F(InterruptedUp, RefusesAnOddNumberOfIpusBeforeItWritesAnything) {
  const Outcome up = copse({"up", "--ipus", "3"});
  EXPECT_NE(up.code, 0);
  EXPECT_THAT(up.errors, HasSubstr("1 IPU, or an even number"));
  EXPECT_FALSE(fs::exists(directory()));
}

TEST_F(InterruptedUp, DownRemovesABrokenCluster) {
  fs::create_directory(directory());
  fs::permissions(directory(), fs::perms(0700));
  for (const char *const name :
       {"cluster.json", "ipu-0.control", "ipu-13.control.rings", "rbufd.log"})
    std::ofstream(directory() / name) << "{ this is no cluster";
  const Outcome down = copse({"down"});
  EXPECT_EQ(down.code, 0) << down.errors;
  EXPECT_FALSE(fs::exists(directory()));
}

} // namespace
} // namespace copse::test
