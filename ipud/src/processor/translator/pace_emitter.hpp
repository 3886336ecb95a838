#pragma once

#include "processor/translator/emitter.hpp"
#include "processor/translator/pace_form.hpp"

namespace copse::ipud {

/// Generates host code for loads and stores with packed addresses. While it runs, r8d to r10d
/// contain the unpacked addresses of HostRegisters::paced.
class PaceEmitter : private Emitter {
public:
  using Emitter::Emitter;

  /// Unpack the addresses before a loop, and pack them after it.
  void emitPrologue();
  void emitEpilogue();
  /// \param unusual  jump target if an access may fault; nothing has been done then
  void emitChecks(const PaceForm &form, const Xbyak::Label &unusual);
  void emitAccesses(const PaceForm &form);

private:
  static Reg32 address(unsigned number) { return Reg32(static_cast<int>(8 + number)); }
  static Xbyak::RegExp memory(unsigned number);
  void emitWindowCheck(const Reg32 &address, const Xbyak::Label &unusual);
  void emitClashCheck(const Reg32 &a, const Reg32 &b, const Xbyak::Label &unusual);
  void emitLoad(const PaceForm &form, unsigned number);
  void emitStep(const PaceForm &form, unsigned number);
};

} // namespace copse::ipud
