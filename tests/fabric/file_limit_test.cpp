#include "namespaces.hpp"

#include "fabric/file_limit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace copse::fabric {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Changes the limit of this process, and restores it at the end.
class FileLimit : public ::testing::Test {
protected:
  FileLimit() { ::getrlimit(RLIMIT_NOFILE, &before_); }
  ~FileLimit() override { ::setrlimit(RLIMIT_NOFILE, &before_); }
  static void lower(rlim_t soft) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = soft;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }

private:
  rlimit before_{};
};

TEST_F(FileLimit, AllowsAsManyFilesAsTheLimit) {
  lower(100);
  EXPECT_TRUE(checkFileLimit(50, "a test").ok());
  const auto status = checkFileLimit(100, "a test");
  EXPECT_EQ(status.code, wire::Code::OutOfMemory);
  EXPECT_THAT(status.message, AllOf(HasSubstr("at most 100"), HasSubstr("a test may need 100 more"),
                                    HasSubstr("ulimit -n 1024")));
}

TEST_F(FileLimit, CountsTheFilesThatAreOpen) {
  lower(100);
  std::vector<int> open;
  while (checkFileLimit(1, "a test").ok())
    open.push_back(::dup(STDIN_FILENO));
  EXPECT_EQ(::dup(STDIN_FILENO), -1) << "the last one was taken";
  for (const int file : open)
    ::close(file);
  EXPECT_FALSE(open.empty());
}

TEST_F(FileLimit, IsRaisedToTheSystemsMaximum) {
  lower(100);
  raiseFileLimit();
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(limit.rlim_cur, limit.rlim_max);
  EXPECT_TRUE(checkFileLimitOfChild(limit.rlim_max / 2, "a test").ok());
  EXPECT_THAT(checkFileLimitOfChild(limit.rlim_max + 1, "a test").message, HasSubstr("ulimit -n"));
}

TEST(ProcFileSystem, IsFoundIfItIsMounted) { EXPECT_TRUE(checkProc().ok()); }

TEST(ProcFileSystem, IsReportedMissingIfItIsNotMounted) {
  if (!copse::test::mayUnshare(CLONE_NEWNS))
    GTEST_SKIP() << "this user may not make namespaces";
  // The check runs in a process of its own, whose /proc is an empty file system.
  EXPECT_EXIT(
      {
        const bool hidden = ::unshare(CLONE_NEWNS) == 0 &&
                            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                            ::mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
        const auto status = checkProc();
        std::fprintf(stderr, "%s", status.message.c_str());
        ::_exit(hidden && status.code == wire::Code::NotFound ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "/proc is missing");
}

} // namespace
} // namespace copse::fabric
