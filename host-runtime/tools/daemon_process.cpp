#include "daemon_process.hpp"

#include "process_stat.hpp"

#include "fabric/descriptor.hpp"
#include "session/ipud_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

extern char **environ; // NOLINT: POSIX's name

namespace copse::tools {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kStateField = 3, kStartTimeField = 22; // fields of /proc/PID/stat

/// Returns a field of /proc/PID/stat; empty if there is no such process.
std::string statField(pid_t pid, std::size_t number) {
  const auto fields = statFields("/proc/" + std::to_string(pid));
  return number < fields.size() ? fields[number] : std::string();
}

/// Returns "ipu-3" or "rbufd"; empty if the command line \p words does not belong to a daemon of \p
/// file.
std::string nameAmongDaemons(const std::vector<std::string> &words,
                             const std::filesystem::path &file) {
  for (std::size_t at = 0; at < 2 && at + 2 < words.size();
       ++at) { // a script has its shell before it
    const std::string program = std::filesystem::path(words[at]).filename();
    if ((program != "ipud" && program != "rbufd") || words[at + 1] != "--cluster" ||
        words[at + 2] != file)
      continue;
    if (program == "rbufd")
      return program;
    return at + 4 < words.size() ? "ipu-" + words[at + 4] : "";
  }
  return "";
}

class SpawnFiles {
public:
  explicit SpawnFiles(const std::filesystem::path &log) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, log.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID);
  }
  ~SpawnFiles() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnFiles(const SpawnFiles &) = delete;
  SpawnFiles &operator=(const SpawnFiles &) = delete;
  const posix_spawn_file_actions_t *actions() const { return &actions_; }
  const posix_spawnattr_t *attributes() const { return &attributes_; }

private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

} // namespace

bool DaemonProcess::runs() const {
  if (pid <= 0)
    return false;
  const std::string state = statField(pid, kStateField);
  return !state.empty() && state != "Z" && statField(pid, kStartTimeField) == startTime;
}

std::string DaemonProcess::howItEnded() const {
  const fabric::Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return session::howItEnded(process.number());
}

void DaemonProcess::signal(int number) const {
  if (runs())
    ::kill(pid, number);
}

DaemonProcess startDaemon(const std::string &name, std::vector<std::string> command,
                          const std::filesystem::path &log) {
  std::vector<char *> arguments;
  for (std::string &word : command)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const SpawnFiles files(log);
  DaemonProcess daemon{name, -1, {}};
  if (const int error = ::posix_spawn(&daemon.pid, arguments[0], files.actions(),
                                      files.attributes(), arguments.data(), environ);
      error != 0)
    throw std::runtime_error("cannot start '" + command[0] +
                             "': " + std::generic_category().message(error));
  daemon.startTime = statField(daemon.pid, kStartTimeField);
  return daemon;
}

void endDaemons(const std::vector<DaemonProcess> &daemons, std::chrono::milliseconds timeout) {
  const auto someRun = [&] {
    return std::any_of(daemons.begin(), daemons.end(), [](const auto &one) { return one.runs(); });
  };
  for (const DaemonProcess &daemon : daemons)
    daemon.signal(SIGTERM);
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (someRun()) {
    if (std::chrono::steady_clock::now() >= deadline)
      for (const DaemonProcess &daemon : daemons)
        daemon.signal(SIGKILL);
    std::this_thread::sleep_for(10ms);
  }
}

std::vector<DaemonProcess> daemonsOf(const std::filesystem::path &file) {
  std::vector<DaemonProcess> daemons;
  for (const int number : processNumbers("/proc")) {
    const std::filesystem::path process = "/proc/" + std::to_string(number);
    const std::string name = nameAmongDaemons(argumentsOf(process), file);
    struct stat info {};
    if (name.empty() || ::stat(process.c_str(), &info) != 0 || info.st_uid != ::geteuid())
      continue;
    daemons.push_back({name, number, statField(number, kStartTimeField)});
  }
  std::erase_if(daemons, [](const DaemonProcess &daemon) { return !daemon.runs(); });
  return daemons;
}

} // namespace copse::tools
