#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace copse::tools {

/// A daemon that outlives the process which started it, as written down for the next one. The
/// time of its start tells it from another process that has got its number since.
struct DaemonProcess {
  std::string name; ///< "ipu-3"
  pid_t pid = -1;
  std::string startTime; ///< field 22 of /proc/PID/stat

  bool runs() const;
  void signal(int number) const; ///< nothing if it has ended
};

/// Starts \p command in a session of its own, with output to \p log. Does not wait.
/// \throws std::runtime_error
DaemonProcess startDaemon(const std::string &name, std::vector<std::string> command,
                          const std::filesystem::path &log);

/// SIGTERM to all, SIGKILL to those that still run after \p patience; returns when none runs.
void endDaemons(const std::vector<DaemonProcess> &daemons, std::chrono::milliseconds patience);

std::vector<DaemonProcess> readDaemons(const std::filesystem::path &file);
void writeDaemons(const std::filesystem::path &file, const std::vector<DaemonProcess> &daemons);

} // namespace copse::tools
