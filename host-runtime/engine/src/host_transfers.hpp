#pragma once

#include "clock/timing_model.hpp"

#include "session/machine.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace copse::engine {

/// Models the time of the host's work between runs: loading a program, reading and writing tensors
/// and remote buffers. The bytes take the path of streams.
class HostTransfers {
public:
  /// \param options  options of the machine, whose model is valid
  /// \param program  the loaded program
  HostTransfers(const session::MachineOptions &options, session::Program program);

  double load() const;                                              ///< [s]
  double view(std::uint32_t view, wire::Direction direction) const; ///< [s]
  /// Returns the time of one replica's access to one row of a remote buffer, which lies at the end
  /// of the IPU's host path [s].
  double row(std::uint64_t bytes, wire::Direction direction) const;
  /// Returns the host's time for a run [s].
  double run() const { return timing_.machine().hostRunSeconds; }

  double clockHz() const { return timing_.machine().tileClockHz; }

private:
  double transfer(const std::vector<std::uint64_t> &bytesOfIpus, wire::Direction direction) const;

  clock::TimingModel timing_;
  session::Program program_;
};

} // namespace copse::engine
