#pragma once

#include "temporary_folder.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace copse::test {

/// Returns the process ids of the children of \p parent.
std::vector<pid_t> childrenOf(pid_t parent);

/// A program that a test started. The destructor kills it, by its own process id.
class ChildProcess {
public:
  /// \param environment  variables in addition to this process's own
  explicit ChildProcess(std::vector<std::string> command,
                        const std::map<std::string, std::string> &environment = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  pid_t pid() const { return pid_; }
  /// Returns the exit code, or 128 + the signal that ended it; nothing if it still runs at the
  /// deadline.
  std::optional<int> wait(std::chrono::milliseconds timeout);
  void kill(int signal);
  /// Return the text that it has printed until now.
  std::string output() const; ///< standard output
  std::string errors() const; ///< standard error
  /// Waits until standard output contains \p text.
  /// \returns false at the deadline
  bool waitForOutput(const std::string &text, std::chrono::milliseconds timeout) const;
  /// Returns the process ids of its children.
  std::vector<pid_t> children() const { return childrenOf(pid_); }

private:
  TemporaryFolder folder_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

/// Returns true once no process of \p pids is left; false at the deadline.
bool allGone(const std::vector<pid_t> &pids, std::chrono::milliseconds timeout);

} // namespace copse::test
