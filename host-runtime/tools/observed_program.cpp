#include "observed_program.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
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

int runProgram(const std::vector<std::string> &command) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  // An interrupt from the keyboard is the program's: what it has done until then is shown.
  const auto before = std::signal(SIGINT, SIG_IGN);
  const pid_t pid = ::fork();
  if (pid < 0)
    throw failure("fork");
  if (pid == 0) {
    std::signal(SIGINT, SIG_DFL);
    ::execvp(arguments[0], arguments.data());
    std::cerr << "copse: " << arguments[0] << ": " << std::generic_category().message(errno)
              << '\n';
    ::_exit(2);
  }
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
