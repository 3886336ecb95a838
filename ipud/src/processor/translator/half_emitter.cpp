#include "processor/translator/half_emitter.hpp"

#include "processor/half_rounding.hpp"

namespace copse::ipud {

using namespace Xbyak::util;
using Kind = HalfForm::Kind;

std::optional<HalfForm> halfFormOf(const isa::Instruction &i) {
  switch (i.opcode) {
#define COPSE_HALVES(name, kind)                                                                   \
  case isa::Opcode::F16v2##name:                                                                   \
    return HalfForm{kind, false, -1};                                                              \
  case isa::Opcode::F16v2##name##BL:                                                               \
    return HalfForm{kind, false, 0};                                                               \
  case isa::Opcode::F16v2##name##BU:                                                               \
    return HalfForm{kind, false, 1};                                                               \
  case isa::Opcode::F16v4##name:                                                                   \
    return HalfForm{kind, true, -1};                                                               \
  case isa::Opcode::F16v4##name##BL:                                                               \
    return HalfForm{kind, true, 0};                                                                \
  case isa::Opcode::F16v4##name##BU:                                                               \
    return HalfForm{kind, true, 1};
    COPSE_HALVES(add, Kind::Add)
    COPSE_HALVES(sub, Kind::Sub)
    COPSE_HALVES(mul, Kind::Mul)
#undef COPSE_HALVES
  case isa::Opcode::F16v2tof32:
    return HalfForm{Kind::ToSingles, false, -1};
  case isa::Opcode::F32v2tof16:
    return HalfForm{Kind::ToHalves, false, -1};
  default:
    return std::nullopt;
  }
}

void HalfEmitter::emit(const Instruction &i, const HalfForm &form, const Xbyak::Label &unusual) {
  const auto &o = i.operands;
  if (form.kind == Kind::ToSingles) {
    emitSingles(xmm4, o[1], false, -1);
    x_.vucomiss(xmm4, xmm4);
    x_.jp(unusual, kNear);
    x_.vmovshdup(xmm6, xmm4);
    x_.vucomiss(xmm6, xmm6);
    x_.jp(unusual, kNear);
    return;
  }
  x_.test(dword[rbx + offsetOf<std::uint32_t>(&Core::fpControl)], operation::kStochastic);
  x_.jnz(unusual, kNear);
  if (form.kind == Kind::ToHalves)
    return emitHalves(pairIn(o[1], xmm7), unusual);
  emitSingles(xmm7, o[1], form.isPair, form.broadcast);
  emitSingles(xmm5, o[2], form.isPair, -1);
  if (form.kind == Kind::Add)
    x_.vaddps(xmm4, xmm7, xmm5);
  else if (form.kind == Kind::Sub)
    x_.vsubps(xmm4, xmm7, xmm5);
  else
    x_.vmulps(xmm4, xmm7, xmm5);
  emitHalves(xmm4, unusual);
}

/// Returns one register, with zeros above it.
Xbyak::Xmm HalfEmitter::wordIn(unsigned r, const Xmm &scratch) {
  constexpr int kZeroAbove = 0xE, kSourceShift = 6;
  if (r < 8 && hasPairs())
    x_.vinsertps(scratch, pair(r), pair(r), static_cast<int>(r % 2) << kSourceShift | kZeroAbove);
  else
    singleIn(r, scratch);
  return scratch;
}

Xbyak::Xmm HalfEmitter::halvesIn(unsigned r, bool isPair, const Xmm &scratch) {
  return isPair ? pairIn(r, scratch) : wordIn(r, scratch);
}

void HalfEmitter::emitSingles(const Xmm &to, unsigned r, bool isPair, int broadcast) {
  if (broadcast < 0) {
    x_.vcvtph2ps(to, halvesIn(r, isPair, to));
    return;
  }
  x_.vpshuflw(to, wordIn(r, to), broadcast == 0 ? 0 : 0x55);
  x_.vcvtph2ps(to, to);
}

/// Rounds \p singles to the nearest halves; infinities, NaNs and too large values are unusual.
void HalfEmitter::emitHalves(const Xmm &singles, const Xbyak::Label &unusual) {
  constexpr int kNearestEven = 0;
  x_.vandps(xmm6, singles, ptr[rip + constants_.magnitudes]);
  x_.vpcmpgtd(xmm6, xmm6, ptr[rip + constants_.largestForHalves]);
  x_.vptest(xmm6, xmm6);
  x_.jnz(unusual, kNear);
  x_.vcvtps2ph(xmm4, singles, kNearestEven);
}

} // namespace copse::ipud
