#include "processor/translator/pace_emitter.hpp"

#include "processor/main_operations.hpp"

namespace copse::ipud {

using namespace Xbyak::util;
using operation::kAddressMask;

namespace {

// The first register contains the lower bits of the third address above the first address.
constexpr int kAboveAddress = 21, kBitsInFirst = 11;
constexpr std::uint32_t kInFirst = 0x7FF, kInSecond = 0x3FF;

} // namespace

Xbyak::RegExp PaceEmitter::memory(unsigned number) {
  return r12 + Xbyak::Reg64(address(number).getIdx());
}

void PaceEmitter::emitPrologue() {
  const unsigned pair = registers_.paced;
  x_.mov(eax, mainPlace(pair));
  x_.mov(ecx, mainPlace(pair + 1));
  x_.mov(address(0), eax);
  x_.and_(address(0), kAddressMask);
  x_.mov(address(1), ecx);
  x_.and_(address(1), kAddressMask);
  x_.shr(eax, kAboveAddress);
  x_.shr(ecx, kAboveAddress);
  x_.and_(ecx, kInSecond);
  x_.shl(ecx, kBitsInFirst);
  x_.or_(eax, ecx);
  x_.mov(address(2), eax);
}

/// Must preserve rax and rdx.
void PaceEmitter::emitEpilogue() {
  const unsigned pair = registers_.paced;
  const Reg32 third = address(2);
  x_.and_(address(0), kAddressMask);
  x_.and_(address(1), kAddressMask);
  x_.mov(ecx, third);
  x_.and_(ecx, kInFirst);
  x_.shl(ecx, kAboveAddress);
  x_.or_(ecx, address(0));
  x_.mov(mainPlace(pair), ecx);
  x_.shr(third, kBitsInFirst);
  x_.and_(third, kInSecond);
  x_.shl(third, kAboveAddress);
  x_.or_(third, address(1));
  x_.mov(mainPlace(pair + 1), third);
}

void PaceEmitter::emitChecks(const PaceForm &form, const Xbyak::Label &unusual) {
  for (unsigned i = 0; i < 3; ++i) {
    if (!form.isUsed[i])
      continue;
    emitWindowCheck(address(i), unusual);
    for (unsigned other = 0; other < i; ++other)
      if (form.isUsed[other])
        emitClashCheck(address(i), address(other), unusual);
  }
  if (!form.mustInterleave)
    return;
  x_.cmp(address(1), dword[rbx + offsetOf<std::uint32_t>(&Core::interleaved)]);
  x_.jb(unusual, kNear);
}

void PaceEmitter::emitWindowCheck(const Reg32 &address, const Xbyak::Label &unusual) {
  constexpr int kShift = 3;
  x_.mov(ecx, address);
  x_.sub(ecx, dword[rbx + offsetOf(&Core::windowBegin)]);
  x_.ror(ecx, kShift);
  x_.cmp(ecx, dword[rbx + offsetOf(&Core::windowLimit) + 4 * kShift]);
  x_.jae(unusual, kNear);
}

/// Checks that two accesses are not to one memory element: 16 KiB, or in the interleaved region
/// every other 64 bits of 32 KiB.
void PaceEmitter::emitClashCheck(const Reg32 &a, const Reg32 &b, const Xbyak::Label &unusual) {
  constexpr std::uint32_t kOtherPair = ~0U << (kElementBits + 1);
  Xbyak::Label fine, inInterleaved;
  x_.mov(ecx, a);
  x_.xor_(ecx, b);
  x_.test(ecx, kOtherPair);
  x_.jnz(fine);
  x_.cmp(a, dword[rbx + offsetOf<std::uint32_t>(&Core::interleaved)]);
  x_.jae(inInterleaved);
  x_.test(ecx, 1U << kElementBits);
  x_.jz(unusual, kNear);
  x_.jmp(fine);
  x_.L(inInterleaved);
  x_.test(ecx, 8);
  x_.jz(unusual, kNear);
  x_.L(fine);
}

/// Emits the store first: a load may overwrite the stored register, but not its memory.
void PaceEmitter::emitAccesses(const PaceForm &form) {
  if (form.isUsed[2])
    x_.vmovq(ptr[memory(2)], pairIn(form.stored, xmm7));
  for (unsigned i = 0; i < 2; ++i)
    emitLoad(form, i);
  for (unsigned i = 0; i < 3; ++i)
    emitStep(form, i);
}

void PaceEmitter::emitLoad(const PaceForm &form, unsigned number) {
  if (form.isUsed[number] && form.loaded[number] < PaceForm::kNone)
    x_.vmovq(pair(form.loaded[number]), ptr[memory(number)]);
}

void PaceEmitter::emitStep(const PaceForm &form, unsigned number) {
  constexpr int kStrideBits = 10, kElementBytes = 8;
  if (!form.isUsed[number])
    return;
  const int code = form.codes[number];
  if (code == 0) {
    x_.add(address(number), kElementBytes);
  } else if (form.stride != kZeroMain) {
    load(eax, form.stride);
    x_.shl(eax, 32 - kStrideBits * code);
    x_.sar(eax, 32 - kStrideBits);
    x_.shl(eax, 3);
    x_.add(address(number), eax);
  }
}

} // namespace copse::ipud
