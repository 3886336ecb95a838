#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace copse::tools {

/// A daemon of a cluster, which outlives the process that started it. The start time distinguishes
/// the daemon from a later process with the same number.
struct DaemonProcess {
  std::string name; ///< "ipu-3"
  pid_t pid = -1;
  std::string startTime; ///< field 22 of /proc/PID/stat

  bool runs() const;
  /// Returns how a daemon that this process started has ended: "exited with code 1", "was killed by
  /// signal 9 (SIGKILL)"; "ended" for any other daemon.
  std::string howItEnded() const;
  void signal(int number) const; ///< nothing if it has ended
};

/// Starts \p command in a session of its own, with output to \p log. Does not wait.
/// \throws std::runtime_error
DaemonProcess startDaemon(const std::string &name, std::vector<std::string> command,
                          const std::filesystem::path &log);

/// Sends SIGTERM to all, and SIGKILL to those that still run after \p timeout. Returns when none
/// of them runs any more.
void endDaemons(const std::vector<DaemonProcess> &daemons, std::chrono::milliseconds timeout);

/// Returns the daemons of this user that serve the cluster file \p file. Daemons are found by their
/// command lines, so there is no list that could miss one if the process that writes it is killed.
std::vector<DaemonProcess> daemonsOf(const std::filesystem::path &file);

} // namespace copse::tools
