#include "ipud_processes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <tuple>
#include <unistd.h>

namespace copse::tools {
namespace {

namespace fs = std::filesystem;

std::string contentsOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> argumentsOf(const fs::path &process) {
  std::vector<std::string> arguments;
  std::istringstream all(contentsOf(process / "cmdline"));
  for (std::string argument; std::getline(all, argument, '\0');)
    arguments.push_back(argument);
  return arguments;
}

std::string valueOf(const std::vector<std::string> &arguments, const std::string &option) {
  const auto found = std::find(arguments.begin(), arguments.end(), option);
  return found == arguments.end() || found + 1 == arguments.end() ? "" : *(found + 1);
}

/// What follows the name in /proc/PID/stat: the name may have spaces and parentheses in it.
std::istringstream afterName(const fs::path &process) {
  const std::string stat = contentsOf(process / "stat");
  const auto end = stat.rfind(')');
  return std::istringstream(end == std::string::npos ? "" : stat.substr(end + 1));
}

std::string nameOf(const fs::path &process) {
  std::string name = contentsOf(process / "comm");
  while (!name.empty() && name.back() == '\n')
    name.pop_back();
  return name;
}

/// Fields of proc(5): 3 is the state, 4 the parent, 14 and 15 are times, 24 is the memory.
IpudProcess describe(const fs::path &proc, int pid, const std::vector<std::string> &arguments) {
  IpudProcess process;
  process.pid = pid;
  process.ipu = valueOf(arguments, "--name");
  auto fields = afterName(proc / std::to_string(pid));
  std::string skipped;
  double userTicks = 0, systemTicks = 0, pages = 0;
  fields >> skipped >> process.host;
  for (int field = 5; field < 14; ++field)
    fields >> skipped;
  fields >> userTicks >> systemTicks;
  for (int field = 16; field < 24; ++field)
    fields >> skipped;
  fields >> pages;
  process.cpuSeconds = (userTicks + systemTicks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  process.memoryMiB = pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
  process.hostProgram = nameOf(proc / std::to_string(process.host));
  return process;
}

} // namespace

std::vector<IpudProcess> ipudProcesses(const std::string &proc) {
  std::vector<IpudProcess> all;
  std::error_code ignored; // processes end while they are looked at
  for (const auto &entry : fs::directory_iterator(proc, ignored)) {
    const std::string number = entry.path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos)
      continue;
    const auto arguments = argumentsOf(entry.path());
    if (!arguments.empty() && fs::path(arguments[0]).filename() == "ipud")
      all.push_back(describe(proc, std::stoi(number), arguments));
  }
  std::sort(all.begin(), all.end(), [](const IpudProcess &a, const IpudProcess &b) {
    return std::tuple(a.host, a.ipu.size(), a.ipu) < std::tuple(b.host, b.ipu.size(), b.ipu);
  });
  return all;
}

} // namespace copse::tools
