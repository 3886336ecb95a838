#pragma once

#include "processor/translator/code_body.hpp"
#include "processor/translator/emitter.hpp"
#include "processor/translator/exits.hpp"

namespace copse::ipud {

/// Makes host code that calls the interpreter's functions, for what has no host code of its own.
class CallEmitter : private Emitter {
public:
  /// Keeps references to all.
  CallEmitter(Xbyak::CodeGenerator &code, const HostRegisters &registers, const CodeBody &body,
              Exits &exits)
      : Emitter(code, registers), body_(body), exits_(exits) {}

  /// The effect of the interpreter's \p step, which belongs to \p instruction.
  void emitStep(const MicroOp &step, const Instruction &instruction);
  /// The step of the aux half.
  void emitAux(const Issue &issue) { emitCall(*body_.auxStepOf(issue), issue.aux); }

private:
  void emitCommit(const MicroOp &step);
  /// Calls the function of \p step, which does \p instruction.
  void emitCall(const MicroOp &step, const Instruction &instruction);

  const CodeBody &body_;
  Exits &exits_;
};

} // namespace copse::ipud
