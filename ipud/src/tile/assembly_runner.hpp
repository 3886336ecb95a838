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

/// Runs tile code that native code asks for: inline assembly, and functions in assembly. What faults
/// ends the vertex.
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
  /// Calls the function \p symbol of tile code. \p call has its arguments, and gets its result.
  void call(const char *symbol, wire::TileCall &call);

private:
  /// How a statement or function ended.
  struct Outcome {
    std::optional<std::uintptr_t> foreign; ///< a pointer to no address of the tile
    std::unique_ptr<TileFault> fault;      ///< null: none
  };
  Outcome execute(const wire::AssemblyBlock &block, std::byte *values,
                  wire::MatrixWords &accumulators);
  Outcome execute(const char *symbol, wire::TileCall &call);
  /// Runs what stands at \p entry of \p page on the worker at hand, whose registers blockState() has.
  TileProcessor::Result interpret(const CodePage &page, std::uint32_t entry);
  /// Ends the vertex if \p outcome is a fault of instructions.
  void leaveForTile(Outcome outcome);
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
