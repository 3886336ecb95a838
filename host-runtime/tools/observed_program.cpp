#include "observed_program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace copse::tools {
namespace {

std::runtime_error failure(const std::string &what) {
  return std::runtime_error(what + ": " + std::generic_category().message(errno));
}

} // namespace

pid_t startProgram(const std::vector<std::string> &command, const std::function<void()> &beforeIt) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> report{}; // closes when the program has started
  if (::pipe2(report.data(), O_CLOEXEC) != 0)
    throw failure("pipe");
  const pid_t pid = ::fork();
  if (pid == 0) {
    beforeIt();
    ::execvp(arguments[0], arguments.data());
    const int why = errno;
    const ssize_t written = ::write(report[1], &why, sizeof why);
    ::_exit(written == sizeof why ? 127 : 126);
  }
  const int why = errno;
  ::close(report[1]);
  int error = pid < 0 ? why : 0;
  if (pid > 0 && ::read(report[0], &error, sizeof error) == sizeof error)
    ::waitpid(pid, nullptr, 0);
  ::close(report[0]);
  if (error != 0)
    throw ProgramNotStarted(command.front() + ": " + std::generic_category().message(error));
  return pid;
}

int runProgram(const std::vector<std::string> &command) {
  // An interrupt from the keyboard is for the program: its results until then are shown.
  const auto before = std::signal(SIGINT, SIG_IGN);
  const pid_t pid = startProgram(command, [] { std::signal(SIGINT, SIG_DFL); });
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      throw failure("waitpid");
  std::signal(SIGINT, before);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool forEachObject(const std::filesystem::path &folder, const std::string &ending,
                   const std::function<void(nlohmann::ordered_json)> &use) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().string().ends_with(ending))
      files.push_back(entry.path());
  std::ranges::sort(files);
  for (const std::filesystem::path &path : files) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (auto object = nlohmann::ordered_json::parse(line, nullptr, false); object.is_object())
        use(std::move(object));
  }
  return !files.empty();
}

void writeOutput(const std::string &path, const std::function<void(std::ostream &)> &write) {
  if (path.empty())
    return write(std::cout);
  std::ofstream file(path);
  write(file);
  if (!file.flush())
    throw failure(path);
}

} // namespace copse::tools
