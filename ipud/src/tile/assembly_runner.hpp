#pragma once

#include "processor/supervisor.hpp"
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

/// Runs tile code for native code: inline assembly, and assembly functions. A fault ends the
/// vertex.
///
/// Thread: the one that runs the vertices.
class AssemblyRunner {
public:
  /// Keeps references to its arguments.
  /// \param processor  must be set while modules with assembly run
  AssemblyRunner(RunningVertex &running, CodeletExit &exit, ParityGuard &guard,
                 CodeletSignals &signals, NativeRegisters &registers,
                 std::optional<TileProcessor> &processor)
      : running_(running), exit_(exit), guard_(guard), signals_(signals), registers_(registers),
        processor_(processor) {}

  /// \param values, accumulators  see wire::AssemblyFunction
  void run(const wire::AssemblyBlock &block, std::byte *values, wire::MatrixWords &accumulators);
  /// Calls the tile code function \p symbol. \p call contains its arguments and receives its
  /// result.
  void call(const char *symbol, wire::TileCall &call);

  /// While this object exists, inline assembly outside of workers runs on \p supervisor.
  class OnSupervisor {
  public:
    OnSupervisor(AssemblyRunner &runner, Supervisor &supervisor, TileContexts &tile);
    ~OnSupervisor();
    OnSupervisor(const OnSupervisor &) = delete;
    OnSupervisor &operator=(const OnSupervisor &) = delete;
    /// Returns the AND of the workers' results.
    bool status() const { return status_; }

  private:
    friend class AssemblyRunner;
    AssemblyRunner &runner_;
    Supervisor &supervisor_;
    TileContexts &tile_;
    bool status_ = true;
  };

private:
  /// How a statement or function ended.
  struct Outcome {
    std::optional<std::uintptr_t> foreign; ///< a pointer that is not an address of the tile
    std::unique_ptr<TileFault> fault;      ///< null if there was none
    bool isLeaving = false;                ///< call CodeletExit::leave()
  };
  Outcome execute(const wire::AssemblyBlock &block, std::byte *values,
                  wire::MatrixWords &accumulators);
  Outcome execute(const char *symbol, wire::TileCall &call);
  Outcome executeOnSupervisor(const wire::AssemblyBlock &block, std::byte *values);
  /// Calls executeOnSupervisor(); if native code of a worker is stopped, the vertex ends.
  Outcome supervise(const wire::AssemblyBlock &block, std::byte *values);
  /// Runs the code at \p entry of \p page on the current worker, whose registers are in
  /// blockState().
  TileProcessor::Result interpret(const CodePage &page, std::uint32_t entry);
  /// Ends the vertex if \p outcome is a fault of instructions.
  void leaveForTile(Outcome outcome);
  [[noreturn]] void leaveFor(CodeletFault::Kind kind, const wire::AssemblyBlock &block,
                             const void *address);

  RunningVertex &running_;
  CodeletExit &exit_;
  ParityGuard &guard_;
  CodeletSignals &signals_;
  NativeRegisters &registers_;
  std::optional<TileProcessor> &processor_;
  OnSupervisor *supervisor_ = nullptr; ///< supervisor of the current vertex
};

} // namespace copse::ipud
