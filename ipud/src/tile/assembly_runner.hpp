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

/// Runs tile code that native code asks for: inline assembly, and functions in assembly. What faults
/// ends the vertex.
///
/// Thread: that which runs the vertices.
class AssemblyRunner {
public:
  /// Keeps references to all.
  /// \param processor  there while modules with assembly run
  AssemblyRunner(RunningVertex &running, CodeletExit &exit, ParityGuard &guard,
                 CodeletSignals &signals, NativeRegisters &registers,
                 std::optional<TileProcessor> &processor)
      : running_(running), exit_(exit), guard_(guard), signals_(signals), registers_(registers),
        processor_(processor) {}

  /// \param values, accumulators  those of wire::AssemblyFunction
  void run(const wire::AssemblyBlock &block, std::byte *values, wire::MatrixWords &accumulators);
  /// Calls the function \p symbol of tile code. \p call has its arguments, and gets its result.
  void call(const char *symbol, wire::TileCall &call);

  /// While this lives, inline assembly outside of workers is that of \p supervisor.
  class OnSupervisor {
  public:
    OnSupervisor(AssemblyRunner &runner, Supervisor &supervisor, TileContexts &tile);
    ~OnSupervisor();
    OnSupervisor(const OnSupervisor &) = delete;
    OnSupervisor &operator=(const OnSupervisor &) = delete;
    /// AND of what the workers returned.
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
    std::optional<std::uintptr_t> foreign; ///< a pointer to no address of the tile
    std::unique_ptr<TileFault> fault;      ///< null: none
    bool isLeaving = false;                ///< the way out is open: CodeletExit::leave()
  };
  Outcome execute(const wire::AssemblyBlock &block, std::byte *values,
                  wire::MatrixWords &accumulators);
  Outcome execute(const char *symbol, wire::TileCall &call);
  Outcome executeOnSupervisor(const wire::AssemblyBlock &block, std::byte *values);
  /// The same; what stops native code of workers ends the vertex.
  Outcome supervise(const wire::AssemblyBlock &block, std::byte *values);
  /// Runs what stands at \p entry of \p page on the worker at hand, whose registers blockState() has.
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
  OnSupervisor *supervisor_ = nullptr; ///< of the vertex at hand
};

} // namespace copse::ipud
