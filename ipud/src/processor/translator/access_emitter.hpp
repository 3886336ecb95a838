#pragma once

#include "processor/translator/emitter.hpp"
#include "processor/translator/loop_addresses.hpp"

namespace copse::ipud {

/// Generates host code for loads and stores.
class AccessEmitter : private Emitter {
public:
  using Emitter::Emitter;

  /// \returns the register with the tile address of an access: edx, or a tile register's host
  ///   register
  Reg32 emitAddress(const AccessForm &form);
  /// Checks an access that is not known to be in the window.
  void emitCheck(const AccessForm &form, const Reg32 &address, const Xbyak::Label &outside);
  /// Generates the access and the step of its register.
  void emitAccess(const AccessForm &form, const Instruction &i, const Reg32 &address);

private:
  void emitMainLoad(const AccessForm &form, unsigned d, const Xbyak::RegExp &memory);
  void emitAuxLoad(const AccessForm &form, unsigned d, const Xbyak::RegExp &memory);
  void emitPieces(const AccessForm &form, unsigned d, const Xbyak::RegExp &memory);
  void emitStore(const AccessForm &form, unsigned d, const Xbyak::RegExp &memory);
  void emitStep(const AccessForm &form);
};

} // namespace copse::ipud
