#pragma once

#include "ipud/daemon.hpp"
#include "wire/result.hpp"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace copse::session {

/// Returns the path of the program ipud: \p given if not empty; else $COPSE_IPUD if set; else the
/// first that exists of: beside this program, beside this library (or in the bin/ next to its
/// directory), on the PATH.
/// \returns NotFound, naming the places that were searched
wire::Result<std::string> findIpud(const std::string &given);

/// A pipe whose write end only this process has, so that the holder of the read end notices when
/// this process ends.
class LifeLine {
public:
  LifeLine();
  ~LifeLine();
  LifeLine(const LifeLine &) = delete;
  LifeLine &operator=(const LifeLine &) = delete;
  int readEnd() const { return ends_[0]; }
  void cut(); ///< closes the write end

private:
  int ends_[2] = {-1, -1};
};

/// A child process ipud. Move-only; the destructor ends the process at once.
///
/// Thread: one at a time.
class IpudProcess {
public:
  struct Start {
    std::string program;
    ipud::Endpoints listen;
    std::string name;             ///< for its log
    std::string privateDirectory; ///< directory of its sockets; may be empty
    int lifeLine = -1;            ///< read end, inherited
  };

  /// Starts the process without waiting until it is ready.
  static wire::Result<IpudProcess> spawn(const Start &start);
  IpudProcess(IpudProcess &&other) noexcept;
  IpudProcess &operator=(IpudProcess &&other) noexcept;
  ~IpudProcess();

  /// Waits for the process's ready line.
  /// \returns its endpoints; Timeout or Disconnected
  wire::Result<ipud::Endpoints> awaitReady(std::chrono::steady_clock::time_point deadline);

  pid_t pid() const { return pid_; }
  /// Becomes readable when the process ends.
  int pidDescriptor() const { return pidDescriptor_; }

  void askToEnd() const; ///< SIGTERM
  /// Waits until the process ends, kills it at the deadline, and reaps it.
  void finish(std::chrono::steady_clock::time_point deadline);

private:
  IpudProcess() = default;
  void signal(int number) const;
  pid_t pid_ = -1; ///< -1: reaped, or moved from
  int pidDescriptor_ = -1;
  int output_ = -1; ///< its stdout
};

/// Describes how the process of \p pidDescriptor ended: "exited with code 3", "killed by signal 9".
/// Does not reap it.
std::string howItEnded(int pidDescriptor);

} // namespace copse::session
