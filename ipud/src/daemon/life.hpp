#pragma once

#include "ipud/daemon.hpp"

#include <cstdint>
#include <string>

namespace copse::ipud {

/// Configures what ends the process `ipud` besides SIGTERM, SIGINT and SIGHUP. With a parentFd, the
/// end of the parent process does.
struct Life {
  int parentFd = -1;            ///< read end of a pipe whose write end the host holds; -1: none
  std::string privateDirectory; ///< removed with its content when the pipe closes; empty: none
  bool isDebugged = false;      ///< SIGINT is left to the debugger
};

/// Waits for the reason to end the process, and ensures that it ends soon afterwards.
///
/// Thread: construct on the main thread before there are other threads, which inherit its signal
/// mask.
class EndOfLife {
public:
  explicit EndOfLife(Life life);
  ~EndOfLife();
  EndOfLife(const EndOfLife &) = delete;
  EndOfLife &operator=(const EndOfLife &) = delete;

  enum class Why : std::uint8_t { Signal, HostGone };
  /// Blocks until the process is to end. From then on, the process has kEndTimeout for an orderly
  /// end, because a codelet that never returns must not keep it alive.
  Why wait();

private:
  Life life_;
  int host_ = -1; ///< the parent process
  int signals_ = -1;
};

/// Returns the line of JSON that announces that the process is ready: its pid, endpoints and,
/// unless empty, the metrics address.
std::string readyLine(const Endpoints &endpoints, const std::string &metrics = {});

} // namespace copse::ipud
