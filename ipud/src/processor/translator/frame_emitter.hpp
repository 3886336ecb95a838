#pragma once

#include "processor/translator/code_body.hpp"
#include "processor/translator/emitter.hpp"

namespace copse::ipud {

/// Makes the code around that of a body, which is a function of the host with three arguments.
/// Inside, rbx has the first, a Core, and r12 the last, address 0 of the tile.
class FrameEmitter : private Emitter {
public:
  /// Keeps references to all.
  FrameEmitter(Xbyak::CodeGenerator &code, const CodeBody &body, const HostRegisters &registers)
      : Emitter(code, registers), body_(body) {}

  /// Leaves the second argument in rsi.
  void emitEntry();
  void emitReturn();
  /// The tile's registers come to the host's, or those that were written go back.
  void emitLoads();
  void emitStores();

private:
  const CodeBody &body_;
};

} // namespace copse::ipud
