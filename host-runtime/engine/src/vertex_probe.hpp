#pragma once

#include "session/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace copse::engine {

/// Executes one replica of a program, in this process, to learn what its vertices count.
///
/// The replica is alone: what it would send to other replicas it gets itself. All that would come
/// from the host or from remote buffers is 0, and each loop makes one turn. So the counts are those
/// of a real run for code whose cycles do not depend on such data.
class VertexProbe {
public:
  /// \param options  of the machine that the program is for
  static wire::Result<std::unique_ptr<VertexProbe>> start(session::MachineOptions options,
                                                          const session::Program &program);

  /// Runs program \p index, whose loops have constant counts.
  /// \returns the cycles of all vertices as far as they have run since start()
  wire::Result<std::vector<wire::MeasuredCycles>> run(std::uint32_t index);

  /// The host writes \p row to hostViews[view] of the first replica.
  wire::Status write(std::uint32_t view, std::span<const std::byte> row);

private:
  explicit VertexProbe(std::unique_ptr<session::Machine> machine) : machine_(std::move(machine)) {}

  std::unique_ptr<session::Machine> machine_;
};

} // namespace copse::engine
