#pragma once

#include "processor/translator/access_emitter.hpp"
#include "processor/translator/call_emitter.hpp"
#include "processor/translator/float_emitter.hpp"
#include "processor/translator/half_emitter.hpp"
#include "processor/translator/integer_emitter.hpp"
#include "processor/translator/matrix_emitter.hpp"
#include "processor/translator/pace_emitter.hpp"

namespace copse::ipud {

/// Generates host code for one instruction or bundle, without its control flow, by the emitter of
/// its kind. A bundle's halves read their registers before either writes, so results are written
/// last. Call emitPrologue() once, emit() for each issue, emitEpilogue() where the code leaves, and
/// emitRest() at the end.
class IssueEmitter : private Emitter {
public:
  /// Keeps references to its arguments.
  IssueEmitter(Xbyak::CodeGenerator &code, const CodeBody &body, HostRegisters &registers,
               const Constants &constants, Exits &exits);

  /// Load and store what the code needs in host registers besides the tile's registers.
  void emitPrologue();
  void emitEpilogue();
  /// \param isInWindow  true if the access was checked before
  void emit(const Issue &issue, bool isInWindow);
  /// Emits the out-of-line code that emit() refers to.
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
