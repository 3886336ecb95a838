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
/// The replica is alone: it receives itself what it sends to other replicas. All data from the host
/// and from remote buffers are 0, and each loop makes one turn. The counts equal those of a real
/// run for code whose cycles do not depend on such data.
class VertexProbe {
public:
  /// \param options  of the machine that the program is for
  static wire::Result<std::unique_ptr<VertexProbe>> start(session::MachineOptions options,
                                                          const session::Program &program);

  /// Runs program \p index, whose loops must have constant counts.
  /// \returns the cycles of all vertices that have run since start()
  wire::Result<std::vector<wire::MeasuredCycles>> run(std::uint32_t index);

  /// Writes \p row to hostViews[view] of the first replica.
  wire::Status write(std::uint32_t view, std::span<const std::byte> row);

private:
  explicit VertexProbe(std::unique_ptr<session::Machine> machine) : machine_(std::move(machine)) {}

  std::unique_ptr<session::Machine> machine_;
};

} // namespace copse::engine
