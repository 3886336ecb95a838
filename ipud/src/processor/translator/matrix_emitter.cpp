#include "processor/translator/matrix_emitter.hpp"

#include "processor/f16.hpp"
#include "processor/half_rounding.hpp"
#include "processor/matrix_unit.hpp"

namespace copse::ipud {
namespace {

using namespace Xbyak::util;

const Weights kSpecimen;

/// Returns the offset of a part of the weights.
template <class Part> int placeInWeights(Part part) {
  return static_cast<int>(reinterpret_cast<const std::byte *>(part(kSpecimen)) -
                          reinterpret_cast<const std::byte *>(&kSpecimen));
}
Xbyak::RegExp weightsOfHalves(unsigned group, unsigned input, unsigned unit) {
  return r11 + placeInWeights([=](const Weights &w) { return &w.values(group)[input][unit]; });
}
Xbyak::RegExp weightsOfSingles(unsigned row, unsigned set) {
  return r11 +
         placeInWeights([=](const Weights &w) { return w.words(row) + fp::kUnitsPerSet * set; });
}
Xbyak::RegExp largestHalves(unsigned group) {
  return r11 + placeInWeights([=](const Weights &w) { return w.largestHalves(group).data(); });
}
Xbyak::RegExp spreadLeft(unsigned group) {
  return r11 + placeInWeights([=](const Weights &w) { return &w.numbers(group).spread; });
}
Xbyak::RegExp leastSingle(unsigned row) {
  return r11 + placeInWeights([=](const Weights &w) { return &w.leastSingle(row); });
}

} // namespace

void MatrixEmitter::emitPrologue() {
  if (!keepsAccumulators())
    return;
  emitConstants();
  emitAccumulators(2, &MatrixEmitter::loadEight);
}

void MatrixEmitter::emitEpilogue() {
  if (keepsAccumulators())
    emitAccumulators(2, &MatrixEmitter::storeEight);
  x_.vzeroupper();
}

void MatrixEmitter::emitConstants() {
  x_.mov(r11, at(offsetOf(&Core::weights)));
  x_.vxorps(ymm15, ymm15, ymm15);
}

void MatrixEmitter::emitAccumulators(unsigned sets, void (MatrixEmitter::*move)(const Ymm &, int)) {
  constexpr int kOfSet = fp::kUnitsPerSet * sizeof(float), kOfAll = 2 * kOfSet;
  const int first = offsetOf<Accumulators>(&Core::accumulators);
  for (unsigned set = 0; set < sets; ++set) {
    const int place = first + kOfSet * static_cast<int>(set);
    (this->*move)(working(set), place);
    (this->*move)(delayed(set), place + kOfAll);
  }
}

MatrixEmitter::Result MatrixEmitter::emit(const Instruction &i, const MatrixCall &call,
                                          const Xbyak::Label &unusual) {
  if (!keepsAccumulators()) {
    emitConstants();
    emitAccumulators(call.sets, &MatrixEmitter::loadEight);
  }
  if (call.isSingle)
    emitTermsOfSingle(i.operands[1], call, unusual);
  else
    emitTermsOfHalves(i.operands[1], call, unusual);
  const Partials partials = emitPartials(i.operands[2], call);
  for (unsigned set = 0; set < call.sets; ++set)
    emitSums(call, set, partials);
  emitChecks(call, partials, unusual);
  if (call.halvesOut)
    x_.vcvtps2ph(xmm4, xmm8, 0); // round to nearest
  else
    x_.vmovq(xmm4, Xmm(chainOf(call, call.resultSet()).getIdx()));
  if (call.isLate)
    x_.vmovd(at(offsetOf<std::uint32_t>(&Core::tas)), singleIn(i.operands[1], xmm8));
  for (unsigned set = 0; set < call.sets; ++set)
    emitCommit(call, set, partials);
  if (!keepsAccumulators()) {
    emitAccumulators(call.sets, &MatrixEmitter::storeEight);
    x_.vzeroupper(); // called functions use SSE
  }
  return call.halvesOut && call.sets == 1 ? Result::Single : Result::Pair;
}

// Terms

/// Computes the terms of half inputs. Sums of products of halves are exact in doubles if the inputs
/// are not too large for the spread of the weights.
void MatrixEmitter::emitTermsOfHalves(unsigned input, const MatrixCall &call,
                                      const Xbyak::Label &unusual) {
  const Xmm halves = pairIn(input, xmm4);
  doubts_.push_back({call, halves, &unusual, {}, {}});
  x_.vpaddw(xmm8, halves, halves); // drop the signs
  x_.vpsubusw(xmm8, xmm8, ptr[largestHalves(call.group)]);
  x_.vptest(xmm8, xmm8);
  x_.jnz(doubts_.back().doubtful, kNear);
  x_.L(doubts_.back().fine);
  emitHalfFactors(halves);
  for (unsigned set = 0; set < call.sets; ++set) {
    const bool isLast = set + 1 == call.sets; // the first factor may be overwritten
    const Xmm high = isLast ? xmm4 : xmm9;
    const unsigned unit = fp::kUnitsPerSet * set;
    emitDots(Xmm(terms(set).getIdx()), ymm9, call.group, unit);
    emitDots(high, Ymm(high.getIdx()), call.group, unit + 4);
    x_.vinsertf128(terms(set), terms(set), high, 1);
    x_.vaddps(terms(set), terms(set), ymm15); // a sum of zeros is never -0
  }
}

/// Widens each of four halves to a double in all lanes of ymm4 to ymm7.
void MatrixEmitter::emitHalfFactors(const Xmm &halves) {
  x_.vcvtph2ps(xmm4, halves);
  x_.vcvtps2pd(ymm4, xmm4);
  x_.vpermpd(ymm5, ymm4, 0x55);
  x_.vpermpd(ymm6, ymm4, 0xAA);
  x_.vpermpd(ymm7, ymm4, 0xFF);
  x_.vbroadcastsd(ymm4, xmm4);
}

/// Computes the dot products of four units.
/// \param sum  scratch register; may be the first factor
void MatrixEmitter::emitDots(const Xmm &to, const Ymm &sum, unsigned group, unsigned firstUnit) {
  for (unsigned input = 0; input < 4; ++input) {
    x_.vcvtps2pd(ymm8, ptr[weightsOfHalves(group, input, firstUnit)]);
    const Ymm factor(static_cast<int>(4 + input));
    if (input == 0)
      x_.vmulpd(sum, factor, ymm8);
    else
      x_.vfmadd231pd(sum, factor, ymm8);
  }
  x_.vcvtpd2ps(to, sum);
}

/// Computes the terms of an f32 input. No product may be less than the smallest normal number,
/// unless it is zero.
void MatrixEmitter::emitTermsOfSingle(unsigned input, const MatrixCall &call,
                                      const Xbyak::Label &unusual) {
  const Xmm x = singleIn(input, xmm4);
  x_.vmovd(eax, x);
  emitSingleCheck(call, unusual);
  x_.vbroadcastss(terms(0), x);
  x_.vmulps(terms(0), terms(0), ptr[weightsOfSingles(call.row, 0)]);
  if (call.isLate)
    emitTermsOfLast(call.ofSet(1), unusual);
}

/// Computes the terms of the second set on the input of the previous call.
void MatrixEmitter::emitTermsOfLast(const MatrixCall &call, const Xbyak::Label &unusual) {
  const auto last = at(offsetOf<std::uint32_t>(&Core::tas));
  x_.mov(eax, last);
  emitSingleCheck(call, unusual);
  x_.vbroadcastss(terms(1), last);
  x_.vmulps(terms(1), terms(1), ptr[weightsOfSingles(call.row, 1)]);
}

/// Checks the pattern in eax.
void MatrixEmitter::emitSingleCheck(const MatrixCall &call, const Xbyak::Label &unusual) {
  doubts_.push_back({call, xmm4, &unusual, {}, {}});
  x_.add(eax, eax); // drop the sign
  x_.cmp(eax, ptr[leastSingle(call.row)]);
  x_.jb(doubts_.back().doubtful, kNear);
  x_.L(doubts_.back().fine);
}

// Sums

/// Loads the incoming partial sums into ymm5 and ymm6.
MatrixEmitter::Partials MatrixEmitter::emitPartials(unsigned first, const MatrixCall &call) {
  if (first >= 8 || !(call.moves || call.isLate))
    return {true, {ymm15, ymm15}};
  if (!call.halvesIn) {
    x_.vaddps(xmm5, pairIn(first, xmm5), ptr[rip + constants_.minusZeros]); // flushes denormals
  } else if (call.sets == 1) {
    x_.vcvtph2ps(xmm5, singleIn(first, xmm5));
  } else {
    x_.vcvtph2ps(xmm5, pairIn(first, xmm5));
    x_.vpermpd(ymm6, ymm5, 0x55);
  }
  x_.vbroadcastsd(ymm5, xmm5);
  return {false, {ymm5, call.isLate ? ymm5 : ymm6}};
}

/// Computes the values of the units two further back, with the partial sums at the end.
void MatrixEmitter::emitMoved(const Ymm &to, const MatrixCall &call, unsigned set,
                              const Partials &partials) {
  x_.vpermpd(ymm7, chainOf(call, set), 0x39);
  x_.vblendpd(to, ymm7, partials.ofSet[set], 8);
}

void MatrixEmitter::emitSums(const MatrixCall &call, unsigned set, const Partials &partials) {
  const MatrixCall own = call.ofSet(set);
  Ymm base = own.startsSums ? delayed(set) : working(set);
  if (own.isSlic && own.moves) {
    base = ymm7;
    emitMoved(base, call, set, partials);
  }
  x_.vaddps(terms(set), base, terms(set));
}

/// Checks that no sum is a NaN, and that what leaves and enters is finite. (The middle of a chain
/// is then finite too; checking less would cost more.) Leaves results that become halves in xmm8.
void MatrixEmitter::emitChecks(const MatrixCall &call, const Partials &partials,
                               const Xbyak::Label &unusual) {
  for (unsigned set = 0; set < call.sets; ++set) {
    const Ymm bad = set == 0 ? ymm4 : ymm7;
    Ymm looked = chainOf(call, set);
    if (!partials.areZero) {
      x_.vblendpd(bad, looked, partials.ofSet[set], 8);
      looked = bad;
      // The last values of the chain, which these cover, stay in it.
    }
    x_.vsubps(bad, looked, looked); // NaN where they are not finite
    x_.vcmpunordps(bad, bad, terms(set));
  }
  if (call.sets == 2)
    x_.vorps(ymm4, ymm4, ymm7);
  if (call.halvesOut) {
    emitHalfResults(call);
    x_.test(dword[rbx + offsetOf<std::uint32_t>(&Core::fpControl)], operation::kStochastic);
    x_.jnz(unusual, kNear);
  }
  x_.vptest(ymm4, ymm4);
  x_.jnz(unusual, kNear);
}

void MatrixEmitter::emitHalfResults(const MatrixCall &call) {
  const Xmm first(chainOf(call, 0).getIdx());
  if (call.sets == 2)
    x_.vmovlhps(xmm8, first, Xmm(chainOf(call, 1).getIdx()));
  else
    x_.vmovq(xmm8, first);
  x_.vandps(xmm7, xmm8, ptr[rip + constants_.magnitudes]);
  x_.vpcmpgtd(xmm7, xmm7, ptr[rip + constants_.largestForHalves]);
  x_.vorps(ymm4, ymm4, ymm7);
}

void MatrixEmitter::emitCommit(const MatrixCall &call, unsigned set, const Partials &partials) {
  if (!call.isSlic && call.ofSet(set).moves)
    emitMoved(delayed(set), call, set, partials);
  x_.vmovaps(working(set), terms(set));
}

// Second checks

void MatrixEmitter::emitRest() {
  for (Doubt &doubt : doubts_)
    emitSecondLook(doubt);
}

void MatrixEmitter::emitSecondLook(Doubt &doubt) {
  x_.L(doubt.doubtful);
  if (!doubt.call.isSingle)
    return emitSpreadTest(doubt);
  x_.cmp(eax, 1U << 24); // zero, or treated as zero
  x_.jb(doubt.fine, kNear);
  x_.jmp(*doubt.unusual, kNear);
}

/// Compares fp::spreadOf() with the spread that the weights allow.
void MatrixEmitter::emitSpreadTest(Doubt &doubt) {
  const auto words = [&](const Xmm &to, std::uint32_t pattern) {
    x_.mov(eax, pattern);
    x_.vmovd(to, eax);
    x_.vpbroadcastw(to, to);
  };
  const Xmm exponents = xmm5, present = xmm6, least = xmm7, scratch = xmm8;
  words(exponents, fp::kExponent16);
  words(least, 0x0400);
  x_.vpand(present, doubt.halves, exponents);
  x_.vpmaxsw(present, present, least);
  x_.vpaddw(scratch, doubt.halves, doubt.halves);
  x_.vpxor(least, least, least);
  x_.vpcmpeqw(scratch, scratch, least); // zeros
  x_.vpand(scratch, scratch, exponents);
  x_.vpor(least, present, scratch);
  x_.vpcmpeqd(scratch, scratch, scratch);
  x_.vpxor(least, least, scratch);
  x_.vpunpcklqdq(present, present, least);
  x_.vpshufd(least, present, 0xB1);
  x_.vpmaxsw(present, present, least);
  x_.vpsrld(least, present, 16);
  x_.vpmaxsw(present, present, least);
  x_.vpextrw(eax, present, 0);
  x_.cmp(eax, fp::kExponent16);
  x_.je(*doubt.unusual, kNear);
  x_.vpextrw(ecx, present, 4);
  x_.xor_(ecx, 0xFFFF);
  x_.sub(eax, ecx);
  x_.sar(eax, 10);
  x_.cmp(eax, ptr[spreadLeft(doubt.call.group)]);
  x_.jle(doubt.fine, kNear);
  x_.jmp(*doubt.unusual, kNear);
}

} // namespace copse::ipud
