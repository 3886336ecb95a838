#pragma once

#include "processor/translator/access_emitter.hpp"
#include "processor/translator/call_emitter.hpp"
#include "processor/translator/float_emitter.hpp"
#include "processor/translator/integer_emitter.hpp"
#include "processor/translator/matrix_emitter.hpp"

namespace copse::ipud {

/// Makes host code of one loop. Beside what HostRegisters says, rbx has the Core, r12 address 0 of
/// the tile and r13 the turns that are left.
class LoopEmitter : private Emitter {
public:
  /// Keeps references to all.
  LoopEmitter(Xbyak::CodeGenerator &code, const LoopBody &body, const HostRegisters &registers,
              const Constants &constants);

  NativeLoop::Entry emit();

private:
  void emitPrologue();
  void emitTop();
  void emitIssue(std::size_t number);
  FloatEmitter::Result emitAux(const Instruction &i, const Xbyak::Label &unusual);
  void emitClosing();
  void emitTest(const Xbyak::Label &done);
  /// \param extra  turns that are not closed beside those of r13
  void emitLeave(const MicroOp *step, int extra);
  void emitEpilogue();

  const LoopBody &body_;
  Exits exits_;
  IntegerEmitter integers_;
  AccessEmitter accesses_;
  FloatEmitter floats_;
  MatrixEmitter matrix_;
  CallEmitter calls_;
  Xbyak::Label top_, bodyEntry_, epilogue_;
};

} // namespace copse::ipud
