#include "processor/translator/float_emitter.hpp"

namespace copse::ipud {

using namespace Xbyak::util;

Xbyak::Xmm FloatEmitter::targetOf(unsigned d) const {
  return pairResult(d) == Result::MovedPair ? otherPlace(d) : xmm4;
}

FloatEmitter::Result FloatEmitter::pairResult(unsigned d) const {
  return registers_.canMovePairs() && d < 8 ? Result::MovedPair : Result::Pair;
}

FloatEmitter::Result FloatEmitter::emit(const Instruction &i, const Xbyak::Label &unusual) {
  switch (i.opcode) {
  case Opcode::AuxSetzi:
    x_.mov(eax, i.operands[1]);
    x_.vmovd(xmm4, eax);
    return Result::Single;
  case Opcode::AuxOr:
  case Opcode::AuxAnd:
  case Opcode::Or64:
  case Opcode::And64:
    return emitBits(i);
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

FloatEmitter::Result FloatEmitter::emitBits(const Instruction &i) {
  const auto &o = i.operands;
  const bool isSingle = i.opcode == Opcode::AuxOr || i.opcode == Opcode::AuxAnd;
  const Xmm a = isSingle ? singleIn(o[1], xmm4) : pairIn(o[1], xmm4);
  const Xmm b = isSingle ? singleIn(o[2], xmm5) : pairIn(o[2], xmm5);
  const Xmm to = isSingle ? xmm4 : targetOf(o[0]);
  if (i.opcode == Opcode::AuxOr || i.opcode == Opcode::Or64)
    x_.vpor(to, a, b);
  else
    x_.vpand(to, a, b);
  return isSingle ? Result::Single : pairResult(o[0]);
}

FloatEmitter::Result FloatEmitter::emitSingle(const Instruction &i, const Xbyak::Label &unusual) {
  const Factors f{singleIn(i.operands[1], xmm7), singleIn(i.operands[2], xmm5)};
  if (i.opcode == Opcode::F32mul) {
    x_.vmulss(xmm4, f.a, f.b);
    checkProduct(f, unusual);
    return Result::Single;
  }
  if (i.opcode == Opcode::F32add)
    x_.vaddss(xmm4, f.a, f.b);
  else
    x_.vsubss(xmm4, f.a, f.b);
  checkSum(unusual);
  return Result::Single;
}

void FloatEmitter::checkSum(const Xbyak::Label &unusual) {
  x_.vsubss(xmm6, xmm4, xmm4); // zero, except for infinities and NaNs
  x_.vucomiss(xmm6, xmm6);
  x_.jp(unusual, kNear);
}

void FloatEmitter::checkProduct(const Factors &factors, const Xbyak::Label &unusual) {
  ZeroCheck &check = zeros_.emplace_back(ZeroCheck{factors, xmm4, true, &unusual, {}, {}});
  // The upper seven bits of exponent + 1 are zero for zeros, infinities and NaNs.
  x_.vpaddd(xmm6, xmm4, ptr[rip + constants_.leastExponents]);
  x_.vptest(xmm6, ptr[rip + constants_.upperExponent]);
  x_.jz(check.unsure, kNear);
  x_.L(check.right);
}

FloatEmitter::Result FloatEmitter::emitCouple(const Instruction &i, const Xbyak::Label &unusual) {
  const bool isBroadcast = i.opcode == Opcode::F32v2addB || i.opcode == Opcode::F32v2subB ||
                           i.opcode == Opcode::F32v2mulB;
  Xmm a = xmm7;
  if (isBroadcast) {
    x_.vmovsldup(xmm7, singleIn(i.operands[1], xmm7));
    x_.vmovq(xmm7, xmm7);
  } else {
    a = pairIn(i.operands[1], xmm7);
  }
  const Xmm b = pairIn(i.operands[2], xmm5), to = targetOf(i.operands[0]);
  if (i.opcode == Opcode::F32v2mul || i.opcode == Opcode::F32v2mulB) {
    x_.vmulps(to, a, b);
    checkProducts({a, b}, to, unusual);
    return pairResult(i.operands[0]);
  }
  if (i.opcode == Opcode::F32v2add || i.opcode == Opcode::F32v2addB)
    x_.vaddps(to, a, b);
  else
    x_.vsubps(to, a, b);
  checkSums(to, unusual);
  return pairResult(i.operands[0]);
}

void FloatEmitter::checkSums(const Xmm &sums, const Xbyak::Label &unusual) {
  x_.vsubps(xmm6, sums, sums);
  x_.vptest(xmm6, xmm6);
  x_.jnz(unusual, kNear);
}

void FloatEmitter::checkProducts(const Factors &factors, const Xmm &products,
                                 const Xbyak::Label &unusual) {
  ZeroCheck &check = zeros_.emplace_back(ZeroCheck{factors, products, false, &unusual, {}, {}});
  // Zeros, infinities and NaNs equal or are unordered with twice themselves.
  x_.vaddps(xmm6, products, products);
  x_.vcmpneq_oqps(xmm6, xmm6, products);
  x_.vptest(xmm6, ptr[rip + constants_.lowerPair]);
  x_.jnc(check.unsure, kNear); // unless both lanes are set
  x_.L(check.right);
}

/// A zero product is correct if one of its factors is zero.
void FloatEmitter::emitZeros(ZeroCheck &check) {
  x_.L(check.unsure);
  x_.vpxor(xmm8, xmm8, xmm8);
  x_.vcmpeqps(xmm9, check.factors.a, xmm8);
  x_.vcmpeqps(xmm10, check.factors.b, xmm8);
  x_.vorps(xmm9, xmm9, xmm10);
  x_.vcmpeqps(xmm10, check.product, xmm8);
  x_.vandps(xmm9, xmm9, xmm10);
  if (check.isSingle) {
    x_.vmovd(eax, xmm9);
    x_.test(eax, eax);
    x_.jnz(check.right, kNear);
  } else {
    x_.vorps(xmm9, xmm9, xmm6);
    x_.vptest(xmm9, ptr[rip + constants_.lowerPair]);
    x_.jc(check.right, kNear);
  }
  x_.jmp(*check.unusual, kNear);
}

FloatEmitter::Result FloatEmitter::emitMac(const Instruction &i, const Xbyak::Label &unusual) {
  const Factors f{singleIn(i.operands[0], xmm7), singleIn(i.operands[1], xmm5)};
  x_.vmulss(xmm4, f.a, f.b);
  checkProduct(f, unusual);
  x_.vaddss(xmm4, xmm4, accumulators());
  x_.vucomiss(xmm4, xmm4);
  x_.jp(unusual, kNear);
  return Result::Accumulator;
}

FloatEmitter::Result FloatEmitter::emitMacs(const Instruction &i, const Xbyak::Label &unusual) {
  const Factors f{pairIn(i.operands[0], xmm7), pairIn(i.operands[1], xmm5)};
  x_.vmulps(xmm4, f.a, f.b);
  checkProducts(f, xmm4, unusual);
  x_.vmovq(xmm5, accumulators());
  x_.vaddps(xmm4, xmm5, xmm4);
  x_.vcmpunordps(xmm6, xmm4, xmm4);
  x_.vptest(xmm6, xmm6);
  x_.jnz(unusual, kNear);
  return Result::Accumulators;
}

void FloatEmitter::emitWrite(Result result, unsigned d) {
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
  case Result::MovedPair:
    places_.inUpper ^= 1U << d / 2;
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
