#pragma once

#include "ipud/daemon.hpp"

#include <cstdint>
#include <string>

namespace copse::ipud {

/// What ends a process `ipud`, beside SIGTERM, SIGINT and SIGHUP. With a parentFd, the end of the
/// process that started it does, too.
struct Life {
  int parentFd = -1;            ///< read end of a pipe whose write end lives in the host; -1: none
  std::string privateDirectory; ///< removed with all in it when the pipe closes; empty: none
  bool isDebugged = false;      ///< an interrupt is the debugger's
};

/// Waits for the end of a process, and sees to it that the process ends soon after.
///
/// Thread: construct on the main thread, before there are others: they inherit its signal mask.
class EndOfLife {
public:
  explicit EndOfLife(Life life);
  ~EndOfLife();
  EndOfLife(const EndOfLife &) = delete;
  EndOfLife &operator=(const EndOfLife &) = delete;

  enum class Why : std::uint8_t { Signal, HostGone };
  /// Blocks until the process is to end. From then on it has kPatience for an orderly end: a
  /// codelet that never returns must not keep a process alive whose host is gone.
  Why wait();

private:
  Life life_;
  int host_ = -1; ///< the process that started this one
  int signals_ = -1;
};

/// What a process says when it is ready: its pid, endpoints and, unless empty, the address of its
/// metrics, as one line of JSON.
std::string readyLine(const Endpoints &endpoints, const std::string &metrics = {});

} // namespace copse::ipud
