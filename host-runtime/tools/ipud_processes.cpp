#include "ipud_processes.hpp"

#include "process_stat.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <pwd.h>
#include <sstream>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace copse::tools {
namespace {

namespace fs = std::filesystem;

std::string contentsOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string valueOf(const std::vector<std::string> &arguments, const std::string &option) {
  const auto found = std::find(arguments.begin(), arguments.end(), option);
  return found == arguments.end() || found + 1 == arguments.end() ? "" : *(found + 1);
}

std::string nameOf(const fs::path &process) {
  std::string name = contentsOf(process / "comm");
  while (!name.empty() && name.back() == '\n')
    name.pop_back();
  return name;
}

// Fields of proc(5).
constexpr std::size_t kParent = 4, kUserTicks = 14, kSystemTicks = 15, kStart = 22, kMemory = 24;

double secondsOf(double ticks) { return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)); }

/// Returns 0 if the process has ended meanwhile.
double elapsedSecondsOf(const fs::path &proc, int pid) {
  const auto fields = statFields(proc / std::to_string(pid));
  double sinceBoot = 0;
  std::istringstream(contentsOf(proc / "uptime")) >> sinceBoot;
  return fields.size() > kStart ? std::max(0.0, sinceBoot - secondsOf(std::stod(fields[kStart])))
                                : 0;
}

std::string userOf(const fs::path &process) {
  struct stat status {};
  if (::stat(process.c_str(), &status) != 0)
    return "";
  const passwd *const entry = ::getpwuid(status.st_uid);
  return entry != nullptr ? entry->pw_name : std::to_string(status.st_uid);
}

IpudProcess describe(const fs::path &proc, int pid, const std::vector<std::string> &arguments) {
  IpudProcess process;
  process.pid = pid;
  process.ipu = valueOf(arguments, "--name");
  if (process.ipu.empty()) // a node of a cluster, which is its own host
    process.ipu = "ipu " + valueOf(arguments, "--ipu");
  const auto fields = statFields(proc / std::to_string(pid));
  double userTicks = 0, systemTicks = 0, pages = 0;
  if (fields.size() > kMemory) { // otherwise it has ended meanwhile
    process.host = std::stoi(fields[kParent]);
    userTicks = std::stod(fields[kUserTicks]);
    systemTicks = std::stod(fields[kSystemTicks]);
    pages = std::stod(fields[kMemory]);
  }
  process.cpuSeconds = secondsOf(userTicks + systemTicks);
  process.memoryMiB = pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
  const fs::path host = proc / std::to_string(process.host);
  process.hostProgram = nameOf(host);
  process.user = userOf(host);
  process.elapsedSeconds = elapsedSecondsOf(proc, process.host);
  return process;
}

} // namespace

std::vector<IpudProcess> ipudProcesses(const std::string &proc) {
  std::vector<IpudProcess> all;
  for (const int number : processNumbers(proc)) {
    const auto arguments = argumentsOf(fs::path(proc) / std::to_string(number));
    if (!arguments.empty() && fs::path(arguments[0]).filename() == "ipud")
      all.push_back(describe(proc, number, arguments));
  }
  std::sort(all.begin(), all.end(), [](const IpudProcess &a, const IpudProcess &b) {
    return std::tuple(a.host, a.ipu.size(), a.ipu) < std::tuple(b.host, b.ipu.size(), b.ipu);
  });
  return all;
}

} // namespace copse::tools
