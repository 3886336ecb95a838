#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/types.h>
#include <thread>

namespace copse::test {

/// Returns true if every thread of \p pid is stopped.
inline bool isFrozen(pid_t pid) {
  for (const auto &thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::ifstream stat(thread.path() / "stat");
    std::string number, name, state;
    if (!(stat >> number >> name >> state) || state != "T")
      return false;
  }
  return true;
}

/// Stops a process. kill() alone returns earlier: the other threads run on until the thread that
/// takes the signal is scheduled, which on a busy machine takes some time.
/// \returns true if the process was stopped within 5 s
inline bool freeze(pid_t pid) {
  if (::kill(pid, SIGSTOP) != 0)
    return false;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!isFrozen(pid) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return isFrozen(pid);
}

} // namespace copse::test
