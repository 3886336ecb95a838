#pragma once

#include "clock/timing_model.hpp"

#include "session/machine.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace copse::engine {

/// The modelled time of what the host does between runs: loads a program, reads and writes tensors and remote buffers. The
/// bytes go the same path as those of streams.
class HostTransfers {
public:
  /// \param options  of the machine, whose model has been used
  /// \param program  that is loaded
  HostTransfers(const session::MachineOptions &options, session::Program program);

  double load() const;                                              ///< [s]
  double view(std::uint32_t view, wire::Direction direction) const; ///< [s]
  /// One row of a remote buffer, by one replica, which lies where the IPU's host path ends [s].
  double row(std::uint64_t bytes, wire::Direction direction) const;
  /// What the run costs the host [s].
  double run() const { return timing_.machine().hostRunSeconds; }

  double clockHz() const { return timing_.machine().tileClockHz; }

private:
  double transfer(const std::vector<std::uint64_t> &bytesOfIpus, wire::Direction direction) const;

  clock::TimingModel timing_;
  session::Program program_;
};

} // namespace copse::engine
