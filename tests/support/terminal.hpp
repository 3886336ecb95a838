#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <poll.h>
#include <pty.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

/// Programs on a terminal.
namespace copse::test {

/// The output of a child process on a terminal that is its stdout and stderr.
struct OnTerminal {
  std::string written;     ///< with all that moves the cursor
  std::optional<int> code; ///< its exit code; none if it was killed, by a signal or at the deadline
};

/// Runs \p work in a child process on a terminal of its own.
inline OnTerminal onTerminal(const std::function<int()> &work, unsigned short columns = 120,
                             std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
  OnTerminal result;
  winsize size{24, columns, 0, 0};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0)
    ::_exit(work());
  if (child < 0) {
    ADD_FAILURE() << "no terminal could be made";
    return result;
  }
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd ready{terminal, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) {
      ::kill(child, SIGKILL);
      break;
    }
    char text[4096];
    const ssize_t count = ::read(terminal, text, sizeof text);
    if (count <= 0) // no process has it open any more
      break;
    result.written.append(text, static_cast<std::size_t>(count));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  if (WIFEXITED(status))
    result.code = WEXITSTATUS(status);
  return result;
}

/// Runs a program on such a terminal.
/// \param environment  variables in addition to this process's own
inline OnTerminal onTerminal(const std::vector<std::string> &command,
                             const std::map<std::string, std::string> &environment) {
  return onTerminal([&] {
    for (const auto &[name, value] : environment)
      ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char *> words;
    for (const std::string &word : command)
      words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    ::execv(words.front(), words.data());
    return 127;
  });
}

/// Returns the final lines on the screen, without blanks at their ends. Understands the codes of
/// progress lines: the cursor goes to the first column, and the rest of the line is cleared.
inline std::vector<std::string> screenOf(std::string_view written) {
  std::vector<std::string> lines(1);
  std::size_t column = 0;
  constexpr std::string_view kClear = "\x1b[K";
  while (!written.empty()) {
    std::string &line = lines.back();
    if (written.substr(0, kClear.size()) == kClear) {
      line.resize(std::min(line.size(), column));
      written.remove_prefix(kClear.size());
      continue;
    }
    const char c = written.front();
    written.remove_prefix(1);
    if (c == '\n') {
      lines.emplace_back();
    } else if (c == '\r') {
      column = 0;
    } else {
      line.resize(std::max(line.size(), column + 1), ' ');
      line[column++] = c;
    }
  }
  for (std::string &line : lines)
    line.resize(line.find_last_not_of(' ') + 1);
  return lines;
}

} // namespace copse::test
