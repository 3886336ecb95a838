#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace copse::tools {

/// One emulated IPU as the operating system sees it.
struct IpudProcess {
  int pid = 0;
  int host = 0;              ///< process that started it
  std::string hostProgram;   ///< its name
  std::string user;          ///< name of the user
  double elapsedSeconds = 0; ///< since it started [wall-clock]
  std::string ipu;           ///< "ipu 3"
  double memoryMiB = 0;      ///< resident
  double cpuSeconds = 0;     ///< since it started
};

/// Returns the IPUs of all programs whose processes this user can see, by host and IPU.
/// \param proc  the folder /proc
std::vector<IpudProcess> ipudProcesses(const std::string &proc = "/proc");

} // namespace copse::tools
