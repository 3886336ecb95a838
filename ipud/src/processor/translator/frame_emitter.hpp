#pragma once

#include "processor/translator/code_body.hpp"
#include "processor/translator/emitter.hpp"

namespace copse::ipud {

/// Generates the code around a body, which is a host function with three arguments. Inside, rbx has
/// the first argument, a Core, and r12 the last, address 0 of the tile.
class FrameEmitter : private Emitter {
public:
  /// Keeps references to its arguments.
  FrameEmitter(Xbyak::CodeGenerator &code, const CodeBody &body, const HostRegisters &registers)
      : Emitter(code, registers), body_(body) {}

  /// Leaves the second argument in rsi.
  void emitEntry();
  void emitReturn();
  /// Load the tile's registers into host registers, and store the written ones back.
  void emitLoads();
  void emitStores();

private:
  const CodeBody &body_;
};

} // namespace copse::ipud
