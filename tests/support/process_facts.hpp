#pragma once

#include <arpa/inet.h>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <set>
#include <sstream>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

/// Facts about a running process, from /proc.
namespace copse::test {

inline std::filesystem::path factsOf(pid_t pid) { return "/proc/" + std::to_string(pid); }

inline std::size_t descriptorsOf(pid_t pid) {
  std::size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(factsOf(pid) / "fd"))
    count += entry.path().empty() ? 0 : 1;
  return count;
}

inline double residentMiB(pid_t pid) {
  std::ifstream file(factsOf(pid) / "statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// Returns the most memory that was resident since the start of the process, or since forgetPeak().
inline double peakMiB(pid_t pid) {
  std::ifstream file(factsOf(pid) / "status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("VmHWM:", 0) == 0)
      return std::stod(line.substr(6)) / 1024;
  return 0;
}
inline void forgetPeak(pid_t pid) { std::ofstream(factsOf(pid) / "clear_refs") << "5"; }

/// Returns the sockets among the descriptors of a process, by the numbers of the system.
inline std::set<std::string> socketsOf(pid_t pid) {
  std::set<std::string> all;
  for (const auto &entry : std::filesystem::directory_iterator(factsOf(pid) / "fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.rfind("socket:[", 0) == 0)
      all.insert(target.substr(8, target.size() - 9));
  }
  return all;
}

/// Returns the addresses at which a process listens over tcp, on any interface.
inline std::vector<sockaddr_in> listeningPorts(pid_t pid) {
  const std::set<std::string> sockets = socketsOf(pid);
  std::ifstream table(factsOf(pid) / "net/tcp");
  std::vector<sockaddr_in> all;
  std::string line;
  for (std::getline(table, line); std::getline(table, line);) {
    std::istringstream fields(line);
    std::string number, local, remote, state, queues, timer, retries, user, timeout, inode;
    fields >> number >> local >> remote >> state >> queues >> timer >> retries >> user >> timeout >>
        inode;
    if (state != "0A" || !sockets.contains(inode)) // LISTEN
      continue;
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(
        static_cast<std::uint16_t>(std::stoi(local.substr(local.find(':') + 1), nullptr, 16)));
    all.push_back(to);
  }
  return all;
}

} // namespace copse::test
