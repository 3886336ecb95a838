#pragma once

#include "processor/tile_processor.hpp"
#include "tile/codelet_exit.hpp"
#include "tile/codelet_signals.hpp"
#include "tile/native_registers.hpp"
#include "tile/parity_guard.hpp"
#include "tile/running_vertex.hpp"

#include "wire/codelet_abi.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace copse::ipud {

/// Runs inline assembly of native code. A statement that faults ends the vertex.
///
/// Thread: that which runs the vertices.
class AssemblyRunner {
public:
  /// Keeps references to all.
  /// \param processor  there while modules with assembly run
  AssemblyRunner(const RunningVertex &running, CodeletExit &exit, ParityGuard &guard,
                 CodeletSignals &signals, NativeRegisters &registers,
                 std::optional<TileProcessor> &processor)
      : running_(running), exit_(exit), guard_(guard), signals_(signals), registers_(registers),
        processor_(processor) {}

  /// \param values, accumulators  those of wire::AssemblyFunction
  void run(const wire::AssemblyBlock &block, std::byte *values, wire::MatrixWords &accumulators);

private:
  /// How a statement ended.
  struct Outcome {
    std::optional<std::uintptr_t> foreign; ///< a pointer to no address of the tile
    std::unique_ptr<TileFault> fault;      ///< null: none
  };
  Outcome execute(const wire::AssemblyBlock &block, std::byte *values,
                  wire::MatrixWords &accumulators);
  [[noreturn]] void leaveFor(CodeletFault::Kind kind, const wire::AssemblyBlock &block,
                             const void *address);

  const RunningVertex &running_;
  CodeletExit &exit_;
  ParityGuard &guard_;
  CodeletSignals &signals_;
  NativeRegisters &registers_;
  std::optional<TileProcessor> &processor_;
};

} // namespace copse::ipud
