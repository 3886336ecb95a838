#pragma once

#include "processor/translator/access_emitter.hpp"
#include "processor/translator/call_emitter.hpp"
#include "processor/translator/float_emitter.hpp"
#include "processor/translator/half_emitter.hpp"
#include "processor/translator/integer_emitter.hpp"
#include "processor/translator/matrix_emitter.hpp"
#include "processor/translator/pace_emitter.hpp"

namespace copse::ipud {

/// Makes host code of one instruction or bundle, but for its control flow.
class IssueEmitter : private Emitter {
public:
  /// Keeps references to all.
  IssueEmitter(Xbyak::CodeGenerator &code, const CodeBody &body, HostRegisters &registers,
               const Constants &constants, Exits &exits);

  /// Of the whole code: what it needs in registers beside the tile's, and brings back.
  void emitPrologue();
  void emitEpilogue();
  /// \param isInWindow  whether an access was checked before
  void emit(const Issue &issue, bool isInWindow);
  /// The code away from the issues that emit() refers to.
  void emitRest();

private:
  void emitSteps(const Issue &issue);
  FloatEmitter::Result emitAux(const Instruction &i, const Xbyak::Label &unusual);

  const CodeBody &body_;
  Exits &exits_;
  IntegerEmitter integers_;
  AccessEmitter accesses_;
  FloatEmitter floats_;
  HalfEmitter halves_;
  MatrixEmitter matrix_;
  PaceEmitter paces_;
  CallEmitter calls_;
};

} // namespace copse::ipud
