#pragma once

#include "session/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace copse::engine {

/// Executes one replica of a program in this process, to learn how many cycles its vertices count.
///
/// The replica is alone: it receives the data that it sends to other replicas itself. Its data come
/// from writeTensor() and the buffers of streams; rows of callbacks and of remote buffers are 0.
/// Each loop has one iteration, and all alternatives of a branch run. The counts equal those of a
/// real run for code whose cycles do not depend on the other data.
class VertexProbe {
public:
  /// \param options  options of the machine for which the program is compiled
  static wire::Result<std::unique_ptr<VertexProbe>> start(session::MachineOptions options,
                                                          const session::Program &program);

  /// Runs program \p index.
  /// \param host  has the rows of buffers
  /// \returns the cycles of all vertices that have run since start()
  wire::Result<std::vector<wire::MeasuredCycles>> run(std::uint32_t index,
                                                      session::StreamHandler &host);

  /// Writes \p row to hostViews[view] of the first replica.
  wire::Status write(std::uint32_t view, std::span<const std::byte> row);

private:
  VertexProbe(std::unique_ptr<session::Machine> machine, std::size_t streams)
      : machine_(std::move(machine)), streams_(streams) {}

  std::unique_ptr<session::Machine> machine_;
  std::size_t streams_; ///< number of the program's streams
};

} // namespace copse::engine
