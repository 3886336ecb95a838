#include "spoiled_files.hpp"
#include "temporary_folder.hpp"

#include "disk_cache/file_cache.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <sys/stat.h>

namespace copse::disk_cache {
namespace {

namespace fs = std::filesystem;

/// Creates a cache in a folder of the test's own.
class FileCacheTest : public ::testing::Test {
protected:
  FileCacheTest() { ::setenv("COPSE_CACHE_DIR", cache_.path().c_str(), 1); }
  ~FileCacheTest() override { ::unsetenv("COPSE_CACHE_DIR"); }
  static void write(const std::string &name, const std::string &text,
                    const std::string &kind = "things") {
    FileCache(kind).keep(name, [&](std::ostream &out) { out << text; });
  }
  static std::optional<std::string> read(const std::string &name,
                                         const std::string &kind = "things") {
    return FileCache(kind).find(name);
  }
  fs::path file(const std::string &name, const std::string &kind = "things") const {
    return cache_.path() / kind / name;
  }
  const test::TemporaryFolder cache_;
};

TEST_F(FileCacheTest, ReturnsTheStoredBytes) {
  for (const std::string &bytes :
       {std::string(), std::string("\0\n\xff", 3), std::string(1 << 20, 'x')}) {
    write("a", bytes);
    EXPECT_EQ(read("a"), bytes);
  }
  EXPECT_EQ(read("b"), std::nullopt);
}

TEST_F(FileCacheTest, ReplacesDamagedEntries) {
  const std::string text(1000, 'x');
  for (const auto &[kind, spoil] : test::spoiledFiles()) {
    write("a", text);
    ASSERT_EQ(read("a"), text);
    spoil(file("a"));
    EXPECT_EQ(read("a"), std::nullopt) << "the file is " << kind;
    write("a", text);
    if (kind == "a folder with a file") {
      EXPECT_TRUE(fs::exists(file("a") / "of the user"));
    } else {
      EXPECT_EQ(read("a"), text) << "the file was " << kind;
    }
    fs::remove_all(file("a"));
  }
  EXPECT_LE(test::TemporaryFolder::entriesOf(cache_.path() / "things").size(), 1u)
      << "only what a link led to";
}

TEST_F(FileCacheTest, DetectsARenamedEntry) {
  write("a", "of a");
  write("b", "of b");
  fs::rename(file("a"), file("b"));
  EXPECT_EQ(read("b"), std::nullopt);
  write("b", "of b");
  write("b", "of another kind", "others");
  fs::rename(file("b", "others"), file("b"));
  EXPECT_EQ(read("b"), std::nullopt);
}

TEST_F(FileCacheTest, ClosesItsFolderToOthers) {
  write("a", "text");
  struct stat info {};
  ASSERT_EQ(::stat(file("a").parent_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(file("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  fs::permissions(file("a").parent_path(), fs::perms::all);
  EXPECT_EQ(read("a"), "text");
  ASSERT_EQ(::stat(file("a").parent_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0755u) << "who could write there, could lead makeRoom() astray";
}

TEST_F(FileCacheTest, RefusesAFolderOfAnotherUser) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder away";
  write("a", "text");
  constexpr uid_t kAnother = 12345;
  ASSERT_EQ(::chown(file("a").parent_path().c_str(), kAnother, 0), 0);
  EXPECT_EQ(read("a"), std::nullopt);
  write("b", "text");
  EXPECT_FALSE(fs::exists(file("b")));
}

TEST_F(FileCacheTest, RefusesAFolderThatIsALinkOrAFile) {
  const fs::path precious = cache_.path() / "precious";
  fs::create_directory(precious);
  fs::create_directory_symlink(precious, cache_.path() / "things");
  write("a", "text");
  EXPECT_TRUE(fs::is_empty(precious));
  std::ofstream(cache_.path() / "others") << "a file";
  write("a", "text", "others");
  EXPECT_EQ(read("a", "others"), std::nullopt);
}

class FileCacheLimit : public FileCacheTest {
protected:
  FileCacheLimit() { ::setenv("COPSE_CACHE_MIB", "1", 1); }
  ~FileCacheLimit() override { ::unsetenv("COPSE_CACHE_MIB"); }
  static void keep(const std::string &name, std::size_t bytes) {
    FileCache("things").keep(name, [&](std::ostream &out) { out << std::string(bytes, 'x'); });
  }
  static bool has(const std::string &name) { return FileCache("things").find(name).has_value(); }
  /// Makes the last use of \p name so many hours old.
  void age(const std::string &name, std::chrono::hours hours) const {
    const fs::path file = cache_.path() / "things" / name;
    fs::last_write_time(file, fs::last_write_time(file) - hours);
  }
};

TEST_F(FileCacheLimit, RemovesTheOldestEntries) {
  for (const char *name : {"a", "b", "c"}) {
    keep(name, 300'000);
    age(name, std::chrono::hours(2));
  }
  EXPECT_TRUE(has("a")); // and is young again
  age("b", std::chrono::hours(1));
  keep("d", 300'000);
  EXPECT_TRUE(has("a"));
  EXPECT_FALSE(has("b"));
  EXPECT_TRUE(has("c"));
  EXPECT_TRUE(has("d"));
}

TEST_F(FileCacheLimit, StoresNothingIfItIsZero) {
  ::setenv("COPSE_CACHE_MIB", "0", 1);
  keep("a", 1);
  EXPECT_FALSE(has("a"));
  EXPECT_FALSE(fs::exists(cache_.path() / "things"));
}

TEST_F(FileCacheLimit, LeavesNothingBehindWhenWritingFails) {
  const auto failing = [](std::ostream &) { throw std::runtime_error("no"); };
  EXPECT_THROW(FileCache("things").keep("a", failing), std::runtime_error);
  EXPECT_FALSE(fs::exists(cache_.path() / "things"));
}

} // namespace
} // namespace copse::disk_cache
