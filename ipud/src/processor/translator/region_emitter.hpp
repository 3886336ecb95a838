#pragma once

#include "processor/native_region.hpp"
#include "processor/translator/code_region.hpp"
#include "processor/translator/frame_emitter.hpp"
#include "processor/translator/issue_emitter.hpp"

#include <deque>
#include <vector>

namespace copse::ipud {

/// Generates host code for a region. Besides the registers in HostRegisters, rbx points to the
/// Core, r12 to address 0 of the tile, and r13 has the executor's Core::cycles. No issue expects
/// anything else in a register, so execution may start at each of them.
class RegionEmitter : private Emitter {
public:
  /// Keeps references to its arguments.
  RegionEmitter(Xbyak::CodeGenerator &code, const CodeRegion &region, HostRegisters &registers,
                const Constants &constants, const Chip &chip);

  NativeRegion::Entry emit();
  /// Returns the address of each issue's host code. Shape [region.issues]
  const std::vector<const void *> &starts() const { return starts_; }

private:
  /// A near jump after which the worker may have to stop.
  struct Look {
    const MicroOp *target;
    Xbyak::Label label;
  };

  void emitIssue(std::size_t number);
  void emitFewTurnsCheck(const CodeLoop &loop, const Xbyak::Label &body);
  void emitLoop(const CodeLoop &loop, const MicroOp *head);
  void emitControl(std::size_t number);
  void emitJump(const MicroOp &branch);
  void emitCall(const Issue &issue, const CodeRegion::Control &call);
  void emitTest(const CodeRegion::Control &control);
  void emitCount(const CodeRegion::Control &branch);
  void emitRepeat(const Issue &issue, const CodeRegion::Control &repeat);
  void emitRepeatEnd(std::size_t number);
  void emitReturn(const CodeRegion::Control &branch);
  void emitPlaces();
  void emitNext(std::size_t number);
  void emitLook(Look &look);
  /// Continues at \p step, in this code or in the interpreter.
  void emitGoTo(const MicroOp *step);
  void emitInterruptCheck(const Xbyak::Label &wanted);

  const Xbyak::Label &leaving(const MicroOp *step, NativeRegion::How how);
  const Xbyak::Label &lookAt(const MicroOp *target);
  std::size_t bodyOfRepeatEndingAt(std::uint32_t word) const;
  std::uint32_t firstWord() const { return region_.issues.front().word; }
  std::uint32_t wordCount() const { return region_.issues.back().word - firstWord() + 1; }
  std::uint16_t issuesBefore(const MicroOp *step) const { return region_.page.issues[step->at]; }
  template <class Member> static Xbyak::Address coreDword(Member Core::*member) {
    return Xbyak::util::dword[Xbyak::util::rbx + offsetOf(member)];
  }
  template <class Member> static Xbyak::Address coreQword(Member Core::*member) {
    return Xbyak::util::qword[Xbyak::util::rbx + offsetOf(member)];
  }

  const CodeRegion &region_;
  const Chip &chip_;
  Exits exits_;
  FrameEmitter frame_;
  IssueEmitter issues_;
  /// The labels of issues, and of the code after them that closes loops.
  std::vector<Xbyak::Label> labels_, closings_;
  std::vector<const void *> starts_;
  std::deque<Look> looks_;      ///< a deque, because labels must not move
  Xbyak::Label leave_;          ///< rax and edx contain the result
  Xbyak::Label entry_, places_; ///< the host code; its offset for each word of the region
};

} // namespace copse::ipud
