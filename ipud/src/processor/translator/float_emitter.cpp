#include "processor/translator/float_emitter.hpp"

namespace copse::ipud {

FloatEmitter::Result FloatEmitter::emit(const Instruction &i, const Xbyak::Label &unusual) {
  using namespace Xbyak::util;
  const auto &o = i.operands;
  switch (i.opcode) {
  case Opcode::AuxSetzi:
    x_.mov(eax, o[1]);
    x_.vmovd(xmm4, eax);
    return Result::Single;
  case Opcode::AuxOr:
    x_.vpor(xmm4, singleIn(o[1], xmm4), singleIn(o[2], xmm5));
    return Result::Single;
  case Opcode::AuxAnd:
    x_.vpand(xmm4, singleIn(o[1], xmm4), singleIn(o[2], xmm5));
    return Result::Single;
  case Opcode::Or64:
    x_.vpor(xmm4, pairIn(o[1], xmm4), pairIn(o[2], xmm5));
    return Result::Pair;
  case Opcode::And64:
    x_.vpand(xmm4, pairIn(o[1], xmm4), pairIn(o[2], xmm5));
    return Result::Pair;
  case Opcode::F32add:
  case Opcode::F32sub:
  case Opcode::F32mul:
    return emitSingle(i, unusual);
  case Opcode::F32mac:
    return emitMac(i, unusual);
  case Opcode::F32v2mac:
    return emitMacs(i, unusual);
  default:
    return emitCouple(i, unusual);
  }
}

FloatEmitter::Result FloatEmitter::emitSingle(const Instruction &i, const Xbyak::Label &unusual) {
  using namespace Xbyak::util;
  const Factors f{singleIn(i.operands[1], xmm7), singleIn(i.operands[2], xmm5)};
  const auto &[a, b] = f;
  if (i.opcode == Opcode::F32add)
    x_.vaddss(xmm4, a, b);
  else if (i.opcode == Opcode::F32sub)
    x_.vsubss(xmm4, a, b);
  else
    x_.vmulss(xmm4, a, b);
  checkSingle(i.opcode == Opcode::F32mul ? &f : nullptr, unusual);
  return Result::Single;
}

void FloatEmitter::checkSingle(const Factors *product, const Xbyak::Label &unusual) {
  using namespace Xbyak::util;
  x_.vmovd(eax, xmm4);
  if (product == nullptr) {
    x_.add(eax, eax);
    x_.cmp(eax, 0xFF000000U);
    x_.jae(unusual, kNear);
  } else {
    x_.lea(eax, ptr[rax + rax - 0x1000000]);
    x_.cmp(eax, 0xFE000000U);
    zeros_.push_back({*product, true, &unusual, {}, {}});
    x_.jae(zeros_.back().unsure, kNear);
    x_.L(zeros_.back().right);
  }
}

FloatEmitter::Result FloatEmitter::emitCouple(const Instruction &i, const Xbyak::Label &unusual) {
  using namespace Xbyak::util;
  const bool isBroadcast = i.opcode == Opcode::F32v2addB || i.opcode == Opcode::F32v2subB ||
                           i.opcode == Opcode::F32v2mulB;
  const bool isProduct = i.opcode == Opcode::F32v2mul || i.opcode == Opcode::F32v2mulB;
  Xmm a = xmm7;
  if (isBroadcast) {
    x_.vmovsldup(xmm7, singleIn(i.operands[1], xmm7));
    x_.vmovq(xmm7, xmm7);
  } else {
    a = pairIn(i.operands[1], xmm7);
  }
  const Xmm b = pairIn(i.operands[2], xmm5);
  const Factors f{a, b};
  if (isProduct)
    x_.vmulps(xmm4, a, b);
  else if (i.opcode == Opcode::F32v2add || i.opcode == Opcode::F32v2addB)
    x_.vaddps(xmm4, a, b);
  else
    x_.vsubps(xmm4, a, b);
  checkCouple(isProduct ? &f : nullptr, unusual);
  return Result::Pair;
}

void FloatEmitter::checkCouple(const Factors *product, const Xbyak::Label &unusual) {
  using namespace Xbyak::util;
  if (product == nullptr) {
    x_.vsubps(xmm6, xmm4, xmm4); // zero, but for infinities and NaNs
    x_.vptest(xmm6, xmm6);
    x_.jnz(unusual, kNear);
    return;
  }
  x_.vpaddd(xmm6, xmm4, xmm4);
  x_.vpaddd(xmm6, xmm6, ptr[rip + constants_.productShift]);
  x_.vpcmpgtd(xmm6, xmm6, ptr[rip + constants_.productLimit]);
  x_.vptest(xmm6, xmm6);
  zeros_.push_back({*product, false, &unusual, {}, {}});
  x_.jnz(zeros_.back().unsure, kNear);
  x_.L(zeros_.back().right);
}

/// A product that is zero is right after all where one of the factors is.
void FloatEmitter::emitZeros(ZeroCheck &check) {
  using namespace Xbyak::util;
  x_.L(check.unsure);
  x_.vpxor(xmm8, xmm8, xmm8);
  x_.vcmpeqps(xmm9, check.factors.a, xmm8);
  x_.vcmpeqps(xmm10, check.factors.b, xmm8);
  x_.vorps(xmm9, xmm9, xmm10);
  x_.vcmpeqps(xmm10, xmm4, xmm8);
  x_.vandps(xmm9, xmm9, xmm10);
  if (check.isSingle) {
    x_.vmovd(eax, xmm9);
    x_.test(eax, eax);
    x_.jnz(check.right, kNear);
  } else {
    x_.vandnps(xmm9, xmm9, xmm6);
    x_.vptest(xmm9, xmm9);
    x_.jz(check.right, kNear);
  }
  x_.jmp(*check.unusual, kNear);
}

FloatEmitter::Result FloatEmitter::emitMac(const Instruction &i, const Xbyak::Label &unusual) {
  using namespace Xbyak::util;
  const Factors f{singleIn(i.operands[0], xmm7), singleIn(i.operands[1], xmm5)};
  x_.vmulss(xmm4, f.a, f.b);
  checkSingle(&f, unusual);
  x_.vaddss(xmm4, xmm4, accumulators());
  x_.vucomiss(xmm4, xmm4);
  x_.jp(unusual, kNear);
  return Result::Accumulator;
}

FloatEmitter::Result FloatEmitter::emitMacs(const Instruction &i, const Xbyak::Label &unusual) {
  using namespace Xbyak::util;
  const Factors f{pairIn(i.operands[0], xmm7), pairIn(i.operands[1], xmm5)};
  x_.vmulps(xmm4, f.a, f.b);
  checkCouple(&f, unusual);
  x_.vmovq(xmm5, accumulators());
  x_.vaddps(xmm4, xmm5, xmm4);
  x_.vcmpunordps(xmm6, xmm4, xmm4);
  x_.vptest(xmm6, xmm6);
  x_.jnz(unusual, kNear);
  return Result::Accumulators;
}

void FloatEmitter::emitWrite(Result result, unsigned d) {
  using namespace Xbyak::util;
  const bool isRead = d < 8;
  switch (result) {
  case Result::None:
    break;
  case Result::Single:
    if (!isRead)
      break;
    if (!hasPairs())
      x_.vmovd(place(d), xmm4);
    else if (d % 2 == 0)
      x_.vblendps(pair(d), pair(d), xmm4, 1);
    else
      x_.vinsertps(pair(d), pair(d), xmm4, 0x1C);
    break;
  case Result::Pair:
    if (!isRead)
      break;
    if (hasPairs())
      x_.vmovaps(pair(d), xmm4);
    else
      x_.vmovq(place(d), xmm4);
    break;
  case Result::Accumulator:
    x_.vmovd(accumulators(), xmm4);
    break;
  case Result::Accumulators:
    x_.vmovq(accumulators(), xmm4);
    break;
  }
}

void FloatEmitter::emitRest() {
  for (ZeroCheck &check : zeros_)
    emitZeros(check);
}

} // namespace copse::ipud
