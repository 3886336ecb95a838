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

TEST(ChildProcess, AnswersBeforeItsInputEnds) {
  ChildProcess child({"sh", "-c", "read a; echo problem >&2; echo $a; exec >&-; cat >&2; exit 3"},
                     "");
  const ChildResult answer = child.answer("text\n", std::chrono::seconds(60));
  EXPECT_EQ(answer.output, "text\n");
  EXPECT_EQ(answer.errors, "problem\n");
  const ChildResult end = child.end("more", std::chrono::seconds(60));
  EXPECT_EQ(end.output, "");
  EXPECT_EQ(end.errors, "more");
  EXPECT_EQ(end.exitCode, 3);
}

TEST(ChildProcess, IsKilledAndNamedWhenItTakesTooLong) {
  const ChildResult end =
      runChild({"sh", "-c", "echo problem >&2; exec sleep 600"}, "", "", std::chrono::seconds(1));
  EXPECT_EQ(end.exitCode, 128 + SIGKILL);
  EXPECT_EQ(end.errors, "problem\nerror: 'sh' has not ended within 1 s, and was killed; this "
                        "machine may be busy with other work\n");
}

TEST(ChildProcess, IsKilledWhenItIsGivenUp) {
  const auto begin = std::chrono::steady_clock::now();
  { const ChildProcess child({"sleep", "600"}, ""); }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

} // namespace
} // namespace copse::popc
