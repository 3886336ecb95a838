#include "temporary_folder.hpp"

#include "disk_cache/file_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <ostream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace copse::disk_cache {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A cache in a folder of the test's own.
class EntryLockTest : public ::testing::Test {
protected:
  EntryLockTest() { ::setenv("COPSE_CACHE_DIR", folder_.path().c_str(), 1); }
  ~EntryLockTest() override {
    ::unsetenv("COPSE_CACHE_DIR");
    ::unsetenv("COPSE_CACHE_MIB");
  }
  static FileCache cache() { return FileCache("things"); }
  static std::future<bool> waiter() {
    return std::async(std::launch::async, [] { return cache().lock("a").isHeld(); });
  }
  /// Blocks until \p count threads of this process have opened the file of the lock, or 30 s.
  static void awaitOpened(std::ptrdiff_t count) {
    const auto isLock = [](const fs::directory_entry &entry) {
      std::error_code error;
      return fs::read_symlink(entry.path(), error).filename() == "a.lock";
    };
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (std::ranges::count_if(fs::directory_iterator("/proc/self/fd"), isLock) < count &&
           std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  }
  const test::TemporaryFolder folder_;
};

TEST_F(EntryLockTest, OneOfManyDoesTheWork) {
  std::atomic<int> works = 0;
  const auto make = [&] {
    const EntryLock lock = cache().lock("a");
    if (cache().find("a"))
      return;
    ++works;
    cache().keep("a", [](std::ostream &out) { out << "text"; });
  };
  std::vector<std::future<void>> all;
  for (int i = 0; i < 8; ++i)
    all.push_back(std::async(std::launch::async, make));
  for (auto &one : all)
    one.get();
  EXPECT_EQ(works, 1);
  EXPECT_EQ(test::TemporaryFolder::entriesOf(folder_.path() / "things"),
            std::vector<std::string>{"a"});
}

TEST_F(EntryLockTest, WaiterDoesNotHoldWhatAnotherHasUnlocked) {
  std::future<bool> isHeld;
  {
    const EntryLock lock = cache().lock("a");
    ASSERT_TRUE(lock.isHeld());
    isHeld = waiter();
    awaitOpened(2);
  }
  EXPECT_FALSE(isHeld.get()) << "others would do the same work one after another";
}

TEST_F(EntryLockTest, LockOfAKilledProcessPassesToAWaiter) {
  int ready[2] = {};
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t holder = ::fork();
  if (holder == 0) {
    const EntryLock lock = cache().lock("a");
    const char held = lock.isHeld() ? 'y' : 'n';
    if (::write(ready[1], &held, 1) == 1)
      ::pause();
    ::_exit(1);
  }
  char held = 0;
  EXPECT_EQ(::read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 'y');
  std::future<bool> isHeld = waiter();
  awaitOpened(1);
  ::kill(holder, SIGKILL);
  EXPECT_EQ(::waitpid(holder, nullptr, 0), holder);
  EXPECT_TRUE(isHeld.get());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(EntryLockTest, WaiterGivesUpAtItsDeadline) {
  const EntryLock lock = cache().lock("a");
  EXPECT_FALSE(cache().lock("a", 20ms).isHeld());
  EXPECT_TRUE(cache().lock("b", 0ms).isHeld());
}

TEST_F(EntryLockTest, UnusableFolderIsNotLocked) {
  fs::create_directory_symlink("/", folder_.path() / "things");
  EXPECT_FALSE(cache().lock("a").isHeld());
  fs::remove(folder_.path() / "things");
  fs::create_directories(folder_.path() / "things/a.lock");
  EXPECT_FALSE(cache().lock("a").isHeld());
  ::setenv("COPSE_CACHE_MIB", "0", 1);
  EXPECT_FALSE(cache().lock("b").isHeld());
}

} // namespace
} // namespace copse::disk_cache
