#include "popc/child_process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

namespace copse::popc {
namespace {

ChildResult shell(const std::string &script, const std::string &input = "",
                  const std::string &directory = "") {
  return runChild({"sh", "-c", script}, input, directory, std::chrono::seconds(60));
}

TEST(ChildProcess, ReadsItsInputAndReturnsBothOutputs) {
  const ChildResult result = shell("cat; echo problem >&2; exit 3", "text");
  EXPECT_EQ(result.output, "text");
  EXPECT_EQ(result.errors, "problem\n");
  EXPECT_EQ(result.exitCode, 3);
}

TEST(ChildProcess, TransfersMoreThanPipesHold) {
  const std::string much(1'000'000, 'x');
  EXPECT_EQ(shell("cat", much).output, much);
}

TEST(ChildProcess, RunsInTheDirectory) {
  const std::string folder = std::filesystem::canonical(std::filesystem::temp_directory_path());
  EXPECT_EQ(shell("pwd -P", "", folder).output, folder + "\n");
}

TEST(ChildProcess, EndsWith127IfProgramOrDirectoryIsMissing) {
  EXPECT_EQ(runChild({"no-such-program"}, "", "", std::chrono::seconds(60)).exitCode, 127);
  EXPECT_EQ(shell("true", "", "/no/such/folder").exitCode, 127);
}

TEST(ChildProcess, HasDefaultSignalHandling) {
  EXPECT_EQ(shell("kill -s PIPE $$; exit 1").exitCode, 128 + SIGPIPE);
}

TEST(ChildProcess, IsKilledAtItsDeadline) {
  const auto result = runChild({"sleep", "600"}, "", "", std::chrono::seconds(1));
  EXPECT_EQ(result.exitCode, 128 + SIGKILL);
}

TEST(ChildProcess, MayEndBeforeItHasReadItsInput) {
  EXPECT_EQ(shell("exit 0", std::string(1'000'000, 'x')).exitCode, 0);
}

} // namespace
} // namespace copse::popc
