#include "disk_cache/private_directory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace copse::disk_cache {
namespace {

namespace fs = std::filesystem;

/// Creates directories in a folder of the test's own.
class PrivateDirectories : public ::testing::Test {
protected:
  PrivateDirectories() {
    std::string name = "/tmp/directories-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    ::setenv("TMPDIR", folder_.c_str(), 1);
  }
  ~PrivateDirectories() override {
    ::unsetenv("TMPDIR");
    fs::remove_all(folder_);
  }
  /// Creates a directory in a process that ends without removing it.
  void leaveOne() const {
    const pid_t child = ::fork();
    if (child == 0) {
      auto *const left = new PrivateDirectory(); // never destroyed
      std::ofstream(left->path() / "socket") << "something";
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(PrivateDirectories, AreRemovedAfterTheirProcessWasKilled) {
  leaveOne();
  EXPECT_EQ(count(), 1u);
  const PrivateDirectory next;
  EXPECT_EQ(count(), 1u) << "its own";
  EXPECT_TRUE(fs::exists(next.path()));
}

TEST_F(PrivateDirectories, StayWhileTheirProcessLives) {
  const PrivateDirectory first, second;
  EXPECT_TRUE(fs::exists(first.path()));
  EXPECT_EQ(count(), 2u);
}

TEST_F(PrivateDirectories, StayIfTheyOnlyLookSimilar) {
  fs::create_directory(folder_ / "copse-backup");
  const PrivateDirectory own;
  EXPECT_TRUE(fs::exists(folder_ / "copse-backup"));
}

TEST_F(PrivateDirectories, AreRemovedAtTheEnd) {
  { const PrivateDirectory own; }
  EXPECT_EQ(count(), 0u);
}

} // namespace
} // namespace copse::disk_cache
