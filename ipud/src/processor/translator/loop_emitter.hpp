#pragma once

#include "processor/translator/frame_emitter.hpp"
#include "processor/translator/issue_emitter.hpp"
#include "processor/translator/loop_body.hpp"

#include <array>
#include <vector>

namespace copse::ipud {

/// Generates host code for one loop. Besides the registers in HostRegisters, rbx points to the
/// Core, r12 to address 0 of the tile, and r13 has the number of turns left. A short body is
/// emitted two or four times: r13 is then a multiple of that, and other numbers of turns start at a
/// later copy.
class LoopEmitter : private Emitter {
public:
  /// Keeps references to its arguments.
  LoopEmitter(Xbyak::CodeGenerator &code, const LoopBody &body, HostRegisters &registers,
              const Constants &constants);

  NativeLoop::Entry emit();

private:
  void emitPrologue();
  void emitCount();
  void emitCopies();
  void emitStart();
  void emitOtherStart(unsigned copy);
  void emitLowerPlaces(unsigned inUpper);
  void emitIssue(std::size_t number);
  void emitClosing();
  void emitSkip(const Issue &issue);
  /// \param extra  number of turns not closed in addition to r13
  void emitLeave(const MicroOp *step, int extra);
  void emitEpilogue();

  const LoopBody &body_;
  Exits exits_;
  FrameEmitter frame_;
  IssueEmitter issues_;
  HostRegisters &places_;
  const unsigned copies_;
  struct Copy {
    Xbyak::Label body, start;
    unsigned inUpper = 0; ///< HostRegisters::inUpper at its start
  };
  std::array<Copy, 4> starts_;
  std::vector<Xbyak::Label> targets_; ///< targets of skips. Shape [body_.issues]
  Xbyak::Label top_, epilogue_;
};

} // namespace copse::ipud
