#include "ipud_processes.hpp"

#include "process_stat.hpp"

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

std::string nameOf(const fs::path &process) {
  std::string name = contentsOf(process / "comm");
  while (!name.empty() && name.back() == '\n')
    name.pop_back();
  return name;
}

// Fields of proc(5).
constexpr std::size_t kParent = 4, kUserTicks = 14, kSystemTicks = 15, kMemory = 24;

IpudProcess describe(const fs::path &proc, int pid, const std::vector<std::string> &arguments) {
  IpudProcess process;
  process.pid = pid;
  process.ipu = valueOf(arguments, "--name");
  if (process.ipu.empty()) // a node of a cluster, which is its own host
    process.ipu = "ipu " + valueOf(arguments, "--ipu");
  const auto fields = statFields(proc / std::to_string(pid));
  double userTicks = 0, systemTicks = 0, pages = 0;
  if (fields.size() > kMemory) { // else it has ended meanwhile
    process.host = std::stoi(fields[kParent]);
    userTicks = std::stod(fields[kUserTicks]);
    systemTicks = std::stod(fields[kSystemTicks]);
    pages = std::stod(fields[kMemory]);
  }
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
