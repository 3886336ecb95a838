#pragma once

#include "processor/tile_processor.hpp"
#include "tile/access_watch.hpp"
#include "tile/assembly_runner.hpp"
#include "tile/codelet_exit.hpp"
#include "tile/codelet_signals.hpp"
#include "tile/matrix_instructions.hpp"
#include "tile/native_registers.hpp"
#include "tile/parity_guard.hpp"
#include "tile/running_vertex.hpp"

#include <optional>

namespace copse::ipud {

/// The environment of the codelets of one thread. Each part knows only the parts above it.
struct CodeletContext {
  RunningVertex running;
  CodeletExit exit{running};
  ParityGuard guard;
  CodeletSignals signals{exit, guard};
  AccessWatch watch{running, signals};
  NativeRegisters registers{running, exit, signals};
  /// Runs tile code and inline assembly; set while a compute set has any.
  std::optional<TileProcessor> processor;
  MatrixInstructions matrix{running, exit, registers};
  AssemblyRunner assembly{running, exit, guard, signals, registers, processor};
};

} // namespace copse::ipud
