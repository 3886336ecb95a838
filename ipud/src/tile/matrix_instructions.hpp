#pragma once

#include "processor/core.hpp"
#include "tile/codelet_exit.hpp"
#include "tile/native_registers.hpp"
#include "tile/running_vertex.hpp"

#include "wire/codelet_abi.hpp"

namespace copse::ipud {

/// Executes matrix instructions for native code, with the interpreter's arithmetic. An instruction
/// that faults ends the vertex.
///
/// Thread: the one that runs the vertices.
class MatrixInstructions {
public:
  /// Keeps references to its arguments.
  MatrixInstructions(const RunningVertex &running, CodeletExit &exit, NativeRegisters &registers)
      : running_(running), exit_(exit), registers_(registers) {}

  // Services for codelets: wire/codelet_abi.hpp.
  void execute(unsigned word, wire::MatrixWords &words);
  void loadWeights(unsigned index, unsigned groups);

private:
  const RunningVertex &running_;
  CodeletExit &exit_;
  NativeRegisters &registers_;
  Core core_; ///< for the current instruction; a member because it is large
};

/// Copy $AACC and $TAS between native code and a worker's context.
void giveAccumulators(const wire::MatrixWords &words, WorkerState &state);
void takeAccumulators(const WorkerState &state, wire::MatrixWords &words);

} // namespace copse::ipud
