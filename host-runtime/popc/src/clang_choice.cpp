#include "popc/clang_choice.hpp"

#include "compiler_identity.hpp"

#include "disk_cache/digest.hpp"
#include "disk_cache/file_cache.hpp"
#include "popc/child_process.hpp"
#include "popc/popc.hpp"

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <ostream>
#include <string_view>

namespace copse::popc {
namespace {

/// Returns the version that popc is built with: it optimises what the chosen clang reads.
int ownMajor() { return COPSE_LLVM_VERSION; }

constexpr std::chrono::seconds kAnswerDeadline{60};

/// Keeps answers of compilers by their identity. If codelets come from the cache, the start of a
/// compiler takes longer than everything else.
class Answers {
public:
  std::optional<std::string> find(const std::string &identity) {
    const std::lock_guard lock(mutex_);
    const auto found = answers_.find(identity);
    return found == answers_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const std::string &identity, const std::string &answer) {
    const std::lock_guard lock(mutex_);
    answers_[identity] = answer;
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::string> answers_;
};

/// Returns the command's output for --version, or nothing if it cannot be run.
std::optional<std::string> askedVersionOf(std::vector<std::string> command) {
  command.emplace_back("--version");
  const ChildResult answer = runChild(command, "", "", kAnswerDeadline);
  return answer.exitCode == 0 ? std::optional(answer.output) : std::nullopt;
}

/// Returns the version, which is asked once per process.
std::optional<std::string> versionOf(const std::vector<std::string> &command) {
  static Answers answers;
  const std::string identity = compilerIdentity(command);
  auto version = answers.find(identity);
  if (!version && (version = askedVersionOf(command)))
    answers.keep(identity, *version);
  return version;
}

/// Returns the version of a compiler that is no script or wrapper, asked once per machine. A
/// wrapper may start another compiler tomorrow.
std::optional<std::string> keptVersionOf(const std::string &compiler) {
  const disk_cache::FileCache answers("compilers");
  const std::string name = disk_cache::sha256(compilerIdentity({compiler}));
  auto version = answers.find(name);
  if (!version && (version = versionOf({compiler})))
    answers.keep(name, [&](std::ostream &out) { out << *version; });
  return version;
}

std::string needed() {
  const std::string major = std::to_string(ownMajor());
  return "codelets need clang " + major + "; install the package clang-" + major;
}

ClangChoice chosenByUser(const std::string &chosen) {
  const std::vector<std::string> command = splitFlags(chosen);
  const auto version = command.empty() ? std::nullopt : versionOf(command);
  const std::string name = "COPSE_CXX: '" + chosen + "' ";
  if (!version)
    throw CompileError(name + "cannot be run; " + needed());
  const int major = clangMajorIn(*version);
  if (major == 0)
    throw CompileError(name + "is no clang; " + needed());
  if (major != ownMajor())
    throw CompileError(name + "is clang " + std::to_string(major) + "; " + needed());
  return {command, *version};
}

} // namespace

int clangMajorIn(const std::string &version) {
  constexpr std::string_view kBefore = "clang version ";
  const std::size_t at = version.find(kBefore);
  return at == std::string::npos ? 0 : std::atoi(version.c_str() + at + kBefore.size());
}

ClangChoice chooseClang() {
  if (const char *chosen = std::getenv("COPSE_CXX"); chosen != nullptr && *chosen != '\0')
    return chosenByUser(chosen);
  const int major = ownMajor();
  const std::string number = std::to_string(major);
  const std::string installed = "/usr/lib/llvm-" + number + "/bin/clang++";
  for (const std::string &name : {installed, "clang++-" + number, std::string("clang++")}) {
    const auto version = name == installed ? keptVersionOf(name) : versionOf({name});
    if (version && clangMajorIn(*version) == major)
      return {{name}, *version};
  }
  throw CompileError(needed() + ", or name its clang++ in COPSE_CXX");
}

} // namespace copse::popc
