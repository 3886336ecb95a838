#include "session/ipud_process.hpp"

#include "wire/environment.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

extern char **environ; // NOLINT: POSIX's name

namespace copse::session {
namespace {

using wire::Code;
using wire::Status;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

bool isProgram(const fs::path &path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

fs::path directoryOfThisLibrary() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void *>(&directoryOfThisLibrary), &info) == 0 ||
      info.dli_fname == nullptr)
    return {};
  std::error_code error;
  return fs::absolute(info.dli_fname, error).parent_path();
}

std::vector<fs::path> placesToLook() {
  std::error_code error;
  std::vector<fs::path> places{fs::read_symlink("/proc/self/exe", error).parent_path() / "ipud"};
  if (const fs::path library = directoryOfThisLibrary(); !library.empty()) {
    places.push_back(library / "ipud");
    places.push_back(library.parent_path() / "bin" / "ipud");
  }
  std::istringstream directories(wire::environmentVariable("PATH"));
  for (std::string directory; std::getline(directories, directory, ':');)
    places.push_back(fs::path(directory) / "ipud");
  return places;
}

constexpr std::chrono::seconds kEndOfProcess{1};

int millisecondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<long>(left, 0));
}

bool readableBy(int descriptor, Clock::time_point deadline) {
  pollfd wait{descriptor, POLLIN, 0};
  for (;;) {
    const int count = ::poll(&wait, 1, millisecondsUntil(deadline));
    if (count >= 0 || errno != EINTR)
      return count > 0;
  }
}

std::optional<ipud::Endpoints> parseReadyLine(const std::string &line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("control") || !json.contains("link") ||
      !json.contains("sync"))
    return {};
  try {
    return ipud::Endpoints{json["control"], json["link"], json["sync"]};
  } catch (const nlohmann::json::exception &) {
    return {};
  }
}

/// The setup of a child process besides its arguments: its stdout, the life line as descriptor 3,
/// and default signals.
class SpawnSetup {
public:
  SpawnSetup(int output, int lifeLine) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, 1);
    if (lifeLine >= 0)
      posix_spawn_file_actions_adddup2(&files_, lifeLine, kLifeLine);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup &) = delete;
  SpawnSetup &operator=(const SpawnSetup &) = delete;

  static constexpr int kLifeLine = 3;
  const posix_spawn_file_actions_t *files() const { return &files_; }
  const posix_spawnattr_t *attributes() const { return &attributes_; }

private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

void closeIfOpen(int &descriptor) {
  if (descriptor >= 0)
    ::close(descriptor);
  descriptor = -1;
}

/// Creates a close-on-exec pipe whose ends are not 0, 1 or 2. A program with closed standard
/// streams would otherwise get these numbers, which SpawnSetup replaces in the child.
/// \returns false with errno set if there is no pipe
bool makePipe(int (&ends)[2]) {
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return false;
  for (int &end : ends) {
    if (end > STDERR_FILENO)
      continue;
    const int moved = ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    ::close(std::exchange(end, moved));
    if (moved < 0) {
      closeIfOpen(ends[0]);
      closeIfOpen(ends[1]);
      errno = error;
      return false;
    }
  }
  return true;
}

wire::Result<std::string> asProgram(const std::string &path, const std::string &whose) {
  if (isProgram(path))
    return path;
  return Status{Code::NotFound, whose + "'" + path + "' is no program that can be run"};
}

} // namespace

wire::Result<std::string> findIpud(const std::string &given) {
  if (!given.empty())
    return asProgram(given, "");
  if (const std::string chosen = wire::environmentVariable("COPSE_IPUD"); !chosen.empty())
    return asProgram(chosen, "COPSE_IPUD: ");
  std::string looked;
  for (const fs::path &place : placesToLook()) {
    if (isProgram(place))
      return place.string();
    looked += "\n  " + place.string();
  }
  return Status{Code::NotFound,
                "the program ipud was not found; set COPSE_IPUD to its path. Looked for:" + looked};
}

LifeLine::LifeLine() {
  if (!makePipe(ends_))
    throw std::system_error(errno, std::generic_category(),
                            "pipe for the life line of ipud processes");
}
LifeLine::~LifeLine() {
  closeIfOpen(ends_[0]);
  cut();
}
void LifeLine::cut() { closeIfOpen(ends_[1]); }

wire::Result<IpudProcess> IpudProcess::spawn(const Start &start) {
  int output[2];
  if (!makePipe(output))
    return Status{Code::OutOfMemory,
                  std::string("no pipe for an ipud: ") + std::generic_category().message(errno)};
  std::vector<std::string> words{start.program,     "--control",       start.listen.control,
                                 "--link",          start.listen.link, "--sync",
                                 start.listen.sync, "--name",          start.name};
  if (start.lifeLine >= 0)
    words.insert(words.end(), {"--parent-fd", std::to_string(SpawnSetup::kLifeLine)});
  if (!start.privateDirectory.empty())
    words.insert(words.end(), {"--private-directory", start.privateDirectory});
  std::vector<char *> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);

  IpudProcess process;
  const SpawnSetup setup(output[1], start.lifeLine);
  const int error = ::posix_spawn(&process.pid_, start.program.c_str(), setup.files(),
                                  setup.attributes(), arguments.data(), environ);
  ::close(output[1]);
  process.output_ = output[0];
  if (error != 0) {
    process.pid_ = -1;
    return Status{Code::NotFound, "cannot start '" + start.program +
                                      "': " + std::generic_category().message(error)};
  }
  process.pidDescriptor_ = static_cast<int>(::syscall(SYS_pidfd_open, process.pid_, 0));
  return process;
}

IpudProcess::IpudProcess(IpudProcess &&other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidDescriptor_(std::exchange(other.pidDescriptor_, -1)),
      output_(std::exchange(other.output_, -1)) {}

IpudProcess &IpudProcess::operator=(IpudProcess &&other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidDescriptor_, other.pidDescriptor_);
  std::swap(output_, other.output_);
  return *this;
}

IpudProcess::~IpudProcess() {
  finish(Clock::now());
  closeIfOpen(output_);
  closeIfOpen(pidDescriptor_);
}

wire::Result<ipud::Endpoints> IpudProcess::awaitReady(Clock::time_point deadline) {
  std::string line;
  char letter = 0;
  const auto who = "ipud (pid " + std::to_string(pid_) + ")";
  while (letter != '\n') {
    if (!readableBy(output_, deadline))
      return Status{Code::Timeout, who + " did not get ready in time"};
    const ssize_t count = ::read(output_, &letter, 1);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      // A process closes its output a moment before it can be waited for.
      if (pidDescriptor_ >= 0)
        (void)readableBy(pidDescriptor_, std::min(deadline, Clock::now() + kEndOfProcess));
      return Status{Code::Disconnected, who + " " + howItEnded(pidDescriptor_) +
                                            " before it was ready; its messages are on stderr"};
    }
    line += letter;
  }
  closeIfOpen(output_);
  auto endpoints = parseReadyLine(line);
  if (!endpoints)
    return Status{Code::BadFrame, who + " said something else than its ready line: " + line};
  return *endpoints;
}

void IpudProcess::askToEnd() const {
  if (pid_ > 0)
    signal(SIGTERM);
}

/// Sends a signal through the descriptor if the kernel supports it, because the pid may have been
/// reused.
void IpudProcess::signal(int number) const {
  if (pidDescriptor_ >= 0)
    ::syscall(SYS_pidfd_send_signal, pidDescriptor_, number, nullptr, 0);
  else
    ::kill(pid_, number);
}

void IpudProcess::finish(Clock::time_point deadline) {
  if (pid_ <= 0)
    return;
  if (pidDescriptor_ < 0 || !readableBy(pidDescriptor_, deadline))
    signal(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::string howItEnded(int pidDescriptor) {
  siginfo_t info{};
  // P_PIDFD is 3; older headers lack the name.
  if (::waitid(static_cast<idtype_t>(3), static_cast<id_t>(pidDescriptor), &info,
               WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0)
    return "ended";
  const std::string number = std::to_string(info.si_status);
  if (info.si_code == CLD_EXITED)
    return "exited with code " + number;
  const char *const name = ::sigabbrev_np(info.si_status);
  return "was killed by signal " + number +
         (name == nullptr ? "" : std::string(" (SIG") + name + ")") +
         (info.si_status == SIGKILL ? ", which the system also sends when memory runs out" : "");
}

} // namespace copse::session
