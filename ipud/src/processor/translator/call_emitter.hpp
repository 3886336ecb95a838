#pragma once

#include "processor/translator/code_body.hpp"
#include "processor/translator/emitter.hpp"
#include "processor/translator/exits.hpp"

namespace copse::ipud {

/// Generates calls of the interpreter's functions, for instructions without host code.
class CallEmitter : private Emitter {
public:
  /// Keeps references to its arguments.
  CallEmitter(Xbyak::CodeGenerator &code, const HostRegisters &registers, const CodeBody &body,
              Exits &exits)
      : Emitter(code, registers), body_(body), exits_(exits) {}

  /// Generates the effect of the interpreter's \p step of \p instruction.
  void emitStep(const MicroOp &step, const Instruction &instruction);
  /// Generates the step of the aux half.
  void emitAux(const Issue &issue) { emitCall(*body_.auxStepOf(issue), issue.aux); }

private:
  void emitCommit(const MicroOp &step);
  /// Calls the function of \p step, which executes \p instruction.
  void emitCall(const MicroOp &step, const Instruction &instruction);

  const CodeBody &body_;
  Exits &exits_;
};

} // namespace copse::ipud
