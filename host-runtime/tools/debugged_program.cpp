#include "debugged_program.hpp"

#include "observed_program.hpp"

#include "disk_cache/private_directory.hpp"
#include "wire/environment.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace copse::tools {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNames = 20;

fs::path programOnPath(const std::string &name) {
  const char *const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path file = fs::path(folder) / name; ::access(file.c_str(), X_OK) == 0)
      return file;
  throw std::runtime_error("'" + name + "' was not found on the PATH; install the package " + name);
}

/// Returns the gdb script, which lies beside the folder of this program.
fs::path gdbScript() {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  fs::path script = self.parent_path().parent_path() / "share" / "copse" / "gdb" / "copse.py";
  if (!fs::exists(script))
    throw std::runtime_error("gdb's file of commands is missing: " + script.string() +
                             "; install Copse again");
  return script;
}

/// Returns the value of $COPSE_DEBUG.
std::string settingsOf(const DebugRequest &request, const fs::path &folder) {
  std::string vertex = request.where, text = "directory=" + folder.string();
  const auto colon = vertex.rfind(':');
  const bool hasTile = colon != std::string::npos && colon + 1 < vertex.size() && colon > 0 &&
                       vertex[colon - 1] != ':' &&
                       std::all_of(vertex.begin() + static_cast<std::ptrdiff_t>(colon) + 1,
                                   vertex.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (request.ipu)
    text += ",ipu=" + std::to_string(*request.ipu);
  if (hasTile) {
    text += ",tile=" + vertex.substr(colon + 1);
    vertex.resize(colon);
  }
  return text + ",vertex=" + (vertex.empty() ? "*" : vertex);
}

/// Disables timeouts, because an IPU may stop in the debugger for any time.
void waitForEver() {
  const std::string given = wire::environmentVariable("POPLAR_RUNTIME_OPTIONS");
  Json options = Json::parse(given.empty() ? "{}" : given, nullptr, false);
  if (options.is_object()) { // otherwise the program reports what is wrong with them
    options["target.hostSyncTimeout"] = "0";
    ::setenv("POPLAR_RUNTIME_OPTIONS", options.dump().c_str(), 1);
  }
  ::setenv("COPSE_LINK_DEADLINE_MS", "3600000", 1);
  ::unsetenv("COPSE_CLUSTER"); // daemons of a cluster were started without these variables
}

/// The program, in a process group of its own, because gdb reads the keyboard.
class BackgroundProgram {
public:
  explicit BackgroundProgram(const std::vector<std::string> &command)
      : pid_(startProgram(command, apart)) {}
  ~BackgroundProgram() {
    if (!code_)
      ::kill(pid_, SIGTERM);
  }
  BackgroundProgram(const BackgroundProgram &) = delete;
  BackgroundProgram &operator=(const BackgroundProgram &) = delete;

  /// \returns the exit code as a shell shows it, once the program has ended
  std::optional<int> ended() { return code_ ? code_ : look(WNOHANG); }
  int wait() {
    while (!code_)
      look(0);
    return *code_;
  }

private:
  static void apart() {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::isatty(STDIN_FILENO) != 0)
      if (const int nothing = ::open("/dev/null", O_RDONLY); nothing >= 0)
        ::dup2(nothing, STDIN_FILENO);
  }
  std::optional<int> look(int flags) {
    int status = 0;
    if (::waitpid(pid_, &status, flags) == pid_)
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return code_;
  }

  pid_t pid_ = -1;
  std::optional<int> code_;
};

std::string namesOfVertices(const fs::path &folder) {
  std::set<std::string> names;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".vertices") {
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);)
        names.insert(line);
    }
  std::string text;
  std::size_t count = 0;
  for (const std::string &name : names) {
    if (++count > kMostNames)
      return text + " and " + std::to_string(names.size() - kMostNames) + " more";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

int complain(const DebugRequest &request, const fs::path &folder, int code) {
  std::cerr << "copse debug: the program ended before an IPU reached "
            << (request.where.empty() ? "a vertex" : "a vertex '" + request.where + "'");
  const std::string names = namesOfVertices(folder);
  std::cerr << (names.empty() ? "; CPU devices, and IPUs of a cluster, are not debugged"
                              : "; its vertices are " + names)
            << '\n';
  return code == 0 ? 1 : code;
}

std::vector<std::string> gdbCommand(const DebugRequest &request, const fs::path &gdb,
                                    const fs::path &script, const fs::path &folder) {
  std::vector<std::string> words{
      gdb, "-q", "-iex", "set debuginfod enabled off", "-iex", "set print thread-events off"};
  if (request.batch)
    words.emplace_back("-batch");
  const auto run = [&](const std::string &command) { words.insert(words.end(), {"-ex", command}); };
  run("set confirm off");
  run("source " + script.string());
  run("copse start " + folder.string() + (request.where.empty() ? " once" : ""));
  for (const std::string &file : request.files)
    words.insert(words.end(), {"-x", file});
  for (const std::string &command : request.commands)
    run(command);
  return words;
}

} // namespace

int debugProgram(const DebugRequest &request) {
  const fs::path gdb = programOnPath("gdb"), script = gdbScript();
  const disk_cache::PrivateDirectory folder; // holds the IPU's notification, modules and sources
  ::setenv("COPSE_DEBUG", settingsOf(request, folder.path()).c_str(), 1);
  fs::create_directory(folder.path() / "sources");
  waitForEver();
  BackgroundProgram program(request.command);
  while (!fs::exists(folder.path() / "stop.json")) {
    if (const auto code = program.ended())
      return complain(request, folder.path(), *code);
    std::this_thread::sleep_for(20ms);
  }
  runProgram(gdbCommand(request, gdb, script, folder.path()));
  return program.wait();
}

} // namespace copse::tools
