#include "child_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace copse::test {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Checks every few milliseconds until \p done holds or the deadline is over.
bool pollUntil(milliseconds timeout, const std::function<bool()> &done) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

/// Returns field \p number of /proc/PID/stat, counted from 1; empty if there is no such process.
std::string statField(const std::string &pid, int number) {
  const std::string stat = readFile("/proc/" + pid + "/stat");
  const std::size_t afterName = stat.rfind(')');
  if (afterName == std::string::npos)
    return {};
  std::istringstream rest(stat.substr(afterName + 2));
  std::string field;
  for (int i = 3; i <= number; ++i)
    rest >> field;
  return field;
}

bool runs(pid_t pid) {
  const std::string state = statField(std::to_string(pid), 3);
  return !state.empty() && state != "Z" && state != "X";
}

} // namespace

ChildProcess::ChildProcess(std::vector<std::string> command,
                           const std::map<std::string, std::string> &environment) {
  std::vector<std::string> variables;
  for (char **variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    if (!environment.contains(text.substr(0, text.find('='))))
      variables.push_back(text);
  }
  for (const auto &[name, value] : environment)
    variables.push_back(name + "=" + value);
  const auto pointers = [](std::vector<std::string> &strings) {
    std::vector<char *> result;
    for (std::string &string : strings)
      result.push_back(string.data());
    result.push_back(nullptr);
    return result;
  };
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  const std::string out = folder_.file("out"), err = folder_.file("err");
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), flags, 0600);
  auto arguments = pointers(command);
  auto variablePointers = pointers(variables);
  const int failed =
      posix_spawnp(&pid_, arguments[0], &files, nullptr, arguments.data(), variablePointers.data());
  posix_spawn_file_actions_destroy(&files);
  if (failed)
    throw std::runtime_error(command[0] + ": " + std::strerror(failed));
}

ChildProcess::~ChildProcess() {
  if (status_)
    return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
}

std::optional<int> ChildProcess::wait(milliseconds timeout) {
  pollUntil(timeout, [&] {
    int status = 0;
    if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_)
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return status_.has_value();
  });
  return status_;
}

void ChildProcess::kill(int signal) {
  if (!status_)
    ::kill(pid_, signal);
}

std::string ChildProcess::output() const { return readFile(folder_.file("out")); }
std::string ChildProcess::errors() const { return readFile(folder_.file("err")); }

bool ChildProcess::waitForOutput(const std::string &text, milliseconds timeout) const {
  return pollUntil(timeout, [&] { return output().find(text) != std::string::npos; });
}

std::vector<pid_t> childrenOf(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto &entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); }) &&
        statField(name, 4) == std::to_string(parent))
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

bool allGone(const std::vector<pid_t> &pids, milliseconds timeout) {
  return pollUntil(timeout, [&] { return std::none_of(pids.begin(), pids.end(), runs); });
}

} // namespace copse::test
