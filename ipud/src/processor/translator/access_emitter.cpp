#include "processor/translator/access_emitter.hpp"

#include <bit>

namespace copse::ipud {

AccessEmitter::Reg32 AccessEmitter::emitAddress(const AccessForm &form) {
  using namespace Xbyak::util;
  const bool isSimple = form.offset == kZeroMain && form.immediate == 0;
  const unsigned one = form.base == kZeroMain    ? form.delta
                       : form.delta == kZeroMain ? form.base
                                                 : 16;
  if (isSimple && one < 15 && isHosted(one))
    return host(one);
  load(edx, form.base);
  if (form.delta != kZeroMain)
    withOperand(form.delta, [&](const Xbyak::Operand &y) { x_.add(edx, y); });
  if (form.offset != kZeroMain) {
    load(ecx, form.offset);
    x_.imul(ecx, ecx, static_cast<int>(form.bytes));
    x_.add(edx, ecx);
  }
  if (form.immediate != 0)
    x_.add(edx, form.immediate);
  return edx;
}

void AccessEmitter::emitCheck(const AccessForm &form, const Reg32 &address,
                              const Xbyak::Label &outside) {
  using namespace Xbyak::util;
  const auto shift = std::countr_zero(form.bytes);
  x_.mov(ecx, address);
  x_.sub(ecx, dword[rbx + offsetOf(form.bytes == 16 ? &Core::interleaved : &Core::windowBegin)]);
  if (shift != 0)
    x_.ror(ecx, shift);
  x_.cmp(ecx, dword[rbx + offsetOf(&Core::windowLimit) + 4 * shift]);
  x_.jae(outside, kNear);
}

void AccessEmitter::emitAccess(const AccessForm &form, const Instruction &i, const Reg32 &address) {
  const unsigned d = i.operands[0];
  const auto memory = Xbyak::util::r12 + Xbyak::Reg64(address.getIdx());
  if (form.isStore)
    emitStore(form, d, memory);
  else if (form.isAux)
    emitAuxLoad(form, d, memory);
  else
    return emitMainLoad(form, d, memory);
  emitStep(form);
}

void AccessEmitter::emitMainLoad(const AccessForm &form, unsigned d, const Xbyak::RegExp &memory) {
  using namespace Xbyak::util;
  // The load may overwrite the stride register.
  const Reg32 to = isHosted(d) && form.stride != d ? host(d) : eax;
  if (form.bytes == 4)
    x_.mov(to, ptr[memory]);
  else if (form.bytes == 2)
    form.signExtends ? x_.movsx(to, word[memory]) : x_.movzx(to, word[memory]);
  else
    form.signExtends ? x_.movsx(to, byte[memory]) : x_.movzx(to, byte[memory]);
  emitStep(form);
  write(d, to);
}

void AccessEmitter::emitStep(const AccessForm &form) {
  using namespace Xbyak::util;
  const unsigned r = form.stepped;
  if (r >= isa::kWorkerBase)
    return;
  if (form.stride != kZeroMain) {
    load(ecx, form.stride);
    x_.imul(ecx, ecx, static_cast<int>(form.bytes));
    if (isHosted(r))
      x_.add(host(r), ecx);
    else
      x_.add(mainPlace(r), ecx);
  } else if (form.strideBytes != 0) {
    if (isHosted(r))
      x_.add(host(r), form.strideBytes);
    else
      x_.add(dword[rbx + offsetOfMain(r)], form.strideBytes);
  }
}
void AccessEmitter::emitStore(const AccessForm &form, unsigned d, const Xbyak::RegExp &memory) {
  using namespace Xbyak::util;
  if (!form.isAux) {
    if (d != kZeroMain && isHosted(d)) {
      x_.mov(ptr[memory], host(d));
    } else {
      load(eax, d);
      x_.mov(ptr[memory], eax);
    }
  } else if (form.bytes == 8) {
    x_.vmovq(ptr[memory], pairIn(d, xmm7));
  } else if (hasPairs() && d < 8 && d % 2 == 1) {
    x_.vpextrd(ptr[memory], pair(d), 1);
  } else {
    x_.vmovd(ptr[memory], singleIn(d, xmm7));
  }
}

void AccessEmitter::emitAuxLoad(const AccessForm &form, unsigned d, const Xbyak::RegExp &memory) {
  using namespace Xbyak::util;
  if (form.bytes < 4) {
    form.bytes == 2 ? x_.movzx(eax, word[memory]) : x_.movzx(eax, byte[memory]);
    x_.imul(eax, eax, static_cast<int>(form.copies));
    if (hasPairs())
      x_.vpinsrd(pair(d), pair(d), eax, d % 2);
    else
      x_.mov(place(d), eax);
  } else if (!hasPairs()) {
    emitPieces(form, d, memory);
  } else if (form.bytes == 4) {
    x_.vpinsrd(pair(d), pair(d), ptr[memory], d % 2);
  } else {
    x_.vmovq(pair(d), ptr[memory]);
    if (form.bytes == 16)
      x_.vmovq(pair(d + 2), ptr[memory + 8]);
  }
}

/// Copies from memory to the Core.
void AccessEmitter::emitPieces(const AccessForm &form, unsigned d, const Xbyak::RegExp &memory) {
  using namespace Xbyak::util;
  if (form.bytes == 4) {
    x_.mov(eax, ptr[memory]);
    x_.mov(place(d), eax);
    return;
  }
  x_.mov(rax, ptr[memory]); // edx may contain the address
  if (form.bytes == 16)
    x_.mov(rcx, ptr[memory + 8]);
  x_.mov(place(d), rax);
  if (form.bytes == 16)
    x_.mov(place(d + 2), rcx);
}

} // namespace copse::ipud
