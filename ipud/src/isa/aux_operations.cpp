#include "isa/aux_operations.hpp"

#include "isa/float_operations.hpp"
#include "isa/main_operations.hpp"

namespace copse::ipud::operation {
namespace {

using fp::Comparison;

std::uint16_t half(std::uint64_t bits, unsigned i) {
  return static_cast<std::uint16_t>(bits >> (16 * i));
}
std::uint64_t placed(std::uint16_t h, unsigned i) { return std::uint64_t{h} << (16 * i); }

/// How an instruction that delivers halves rounds; takes its noise when stochastic rounding is on.
struct Rounding {
  explicit Rounding(Core &c, bool canBeStochastic = true) {
    constexpr std::uint32_t kStochastic = 1U << 19, kNanOnOverflow = 1U << 20;
    mode.nanOnOverflow = (c.fpControl & kNanOnOverflow) != 0;
    if (canBeStochastic && (c.fpControl & kStochastic) != 0) {
      bits = c.prng.advance();
      mode.noise = &bits;
    }
  }
  Rounding(const Rounding &) = delete;
  Rounding &operator=(const Rounding &) = delete;
  fp::RandomBits bits;
  fp::HalfMode mode;
};

/// The first source of an element-wise instruction of halves, as four of them.
enum class Source { Whole, Lower, Upper };
template <Source S, bool Pair> std::uint64_t halvesOf(Core &c, const MicroOp &u, unsigned i) {
  if constexpr (S == Source::Whole)
    return Pair ? pairOf(c, u, i) : auxOf(c, u, i);
  const std::uint32_t word = auxOf(c, u, i);
  const std::uint64_t h = S == Source::Lower ? word & 0xFFFF : word >> 16;
  return h * 0x0001000100010001;
}

template <bool Pair> bool setHalves(Core &c, const MicroOp &u, std::uint64_t value) {
  return Pair ? setPair(c, u, value) : setAux(c, u, static_cast<std::uint32_t>(value));
}

/// f(x[i], y[i], i, flags) of each element.
template <Source S, bool Pair, class F> bool halves(Core &c, const MicroOp &u, F f) {
  const std::uint64_t x = halvesOf<S, Pair>(c, u, 1), y = halvesOf<Source::Whole, Pair>(c, u, 2);
  std::uint64_t result = 0;
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < (Pair ? 4 : 2); ++i)
    result |= placed(f(half(x, i), half(y, i), i, flags), i);
  return c.report(flags) && setHalves<Pair>(c, u, result);
}
template <Source S, bool Pair, class F> bool roundedHalves(Core &c, const MicroOp &u, F f) {
  const Rounding rounding(c);
  return halves<S, Pair>(c, u,
                         [&](std::uint16_t x, std::uint16_t y, unsigned i, std::uint32_t &flags) {
                           return f(x, y, i, rounding.mode, flags);
                         });
}

/// f(x, flags) of one f32.
template <class F> bool unary32(Core &c, const MicroOp &u, F f) {
  std::uint32_t flags = 0;
  const std::uint32_t result = f(auxOf(c, u, 1), flags);
  return c.report(flags) && setAux(c, u, result);
}
template <class F> bool binary32(Core &c, const MicroOp &u, F f) {
  std::uint32_t flags = 0;
  const std::uint32_t result = f(auxOf(c, u, 1), auxOf(c, u, 2), flags);
  return c.report(flags) && setAux(c, u, result);
}
template <bool Broadcast, class F> bool binaryPair(Core &c, const MicroOp &u, F f) {
  const std::uint64_t x = Broadcast ? auxOf(c, u, 1) * 0x100000001 : pairOf(c, u, 1);
  const std::uint64_t y = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const std::uint32_t lo = f(low(x), low(y), flags), hi = f(high(x), high(y), flags);
  return c.report(flags) && setPair(c, u, joined(lo, hi));
}
/// A slow function of one f32, which takes \p more worker cycles than others.
template <class F> bool transcendental(Core &c, const MicroOp &u, unsigned more, F f) {
  c.cycles += more;
  return unary32(c, u, f);
}
template <class F> bool transcendental16(Core &c, const MicroOp &u, unsigned more, F f) {
  c.cycles += more;
  const Rounding rounding(c, false);
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t result = f(half(x, 0), rounding.mode, flags) |
                               static_cast<std::uint32_t>(f(half(x, 1), rounding.mode, flags))
                                   << 16;
  return c.report(flags) && setAux(c, u, result);
}

template <Comparison What>
std::uint32_t compared(std::uint32_t x, std::uint32_t y, std::uint32_t &flags) {
  return fp::compare32(What, x, y, flags);
}
template <Comparison What>
std::uint16_t compared16(std::uint16_t x, std::uint16_t y, unsigned, std::uint32_t &flags) {
  return fp::compare16(What, x, y, flags);
}
template <std::uint16_t (*F)(std::uint16_t, std::uint16_t, std::uint32_t &)>
std::uint16_t chosen16(std::uint16_t x, std::uint16_t y, unsigned, std::uint32_t &flags) {
  return F(x, y, flags);
}

std::uint32_t codeOf(fp::Class k) { return static_cast<std::uint32_t>(k); }

} // namespace

bool F16v2add(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Whole, false>(c, u, fp::add16);
}
bool F16v2addBL(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Lower, false>(c, u, fp::add16);
}
bool F16v2addBU(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Upper, false>(c, u, fp::add16);
}
bool F16v4add(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Whole, true>(c, u, fp::add16);
}
bool F16v4addBL(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Lower, true>(c, u, fp::add16);
}
bool F16v4addBU(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Upper, true>(c, u, fp::add16);
}
bool F16v2sub(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Whole, false>(c, u, fp::sub16);
}
bool F16v2subBL(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Lower, false>(c, u, fp::sub16);
}
bool F16v2subBU(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Upper, false>(c, u, fp::sub16);
}
bool F16v4sub(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Whole, true>(c, u, fp::sub16);
}
bool F16v4subBL(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Lower, true>(c, u, fp::sub16);
}
bool F16v4subBU(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Upper, true>(c, u, fp::sub16);
}
bool F16v2mul(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Whole, false>(c, u, fp::mul16);
}
bool F16v2mulBL(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Lower, false>(c, u, fp::mul16);
}
bool F16v2mulBU(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Upper, false>(c, u, fp::mul16);
}
bool F16v4mul(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Whole, true>(c, u, fp::mul16);
}
bool F16v4mulBL(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Lower, true>(c, u, fp::mul16);
}
bool F16v4mulBU(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Upper, true>(c, u, fp::mul16);
}
bool F16v2absadd(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Whole, false>(c, u, fp::absadd16);
}
bool F16v2max(Core &c, const MicroOp &u) {
  return halves<Source::Whole, false>(c, u, chosen16<fp::max16>);
}
bool F16v2min(Core &c, const MicroOp &u) {
  return halves<Source::Whole, false>(c, u, chosen16<fp::min16>);
}
bool F16v2absmax(Core &c, const MicroOp &u) {
  return halves<Source::Whole, false>(c, u, chosen16<fp::absmax16>);
}
bool F16v4absadd(Core &c, const MicroOp &u) {
  return roundedHalves<Source::Whole, true>(c, u, fp::absadd16);
}
bool F16v4max(Core &c, const MicroOp &u) {
  return halves<Source::Whole, true>(c, u, chosen16<fp::max16>);
}
bool F16v4min(Core &c, const MicroOp &u) {
  return halves<Source::Whole, true>(c, u, chosen16<fp::min16>);
}
bool F16v4absmax(Core &c, const MicroOp &u) {
  return halves<Source::Whole, true>(c, u, chosen16<fp::absmax16>);
}
bool F32absadd(Core &c, const MicroOp &u) { return binary32(c, u, fp::absadd32); }
bool F32v2absadd(Core &c, const MicroOp &u) { return binaryPair<false>(c, u, fp::absadd32); }
bool F32max(Core &c, const MicroOp &u) { return binary32(c, u, fp::max32); }
bool F32v2max(Core &c, const MicroOp &u) { return binaryPair<false>(c, u, fp::max32); }
bool F32min(Core &c, const MicroOp &u) { return binary32(c, u, fp::min32); }
bool F32v2min(Core &c, const MicroOp &u) { return binaryPair<false>(c, u, fp::min32); }
bool F32absmax(Core &c, const MicroOp &u) { return binary32(c, u, fp::absmax32); }
bool F32v2absmax(Core &c, const MicroOp &u) { return binaryPair<false>(c, u, fp::absmax32); }
bool F32cmpeq(Core &c, const MicroOp &u) { return binary32(c, u, compared<Comparison::Equal>); }
bool F32v2cmpeq(Core &c, const MicroOp &u) {
  return binaryPair<false>(c, u, compared<Comparison::Equal>);
}
bool F32v2cmpeqB(Core &c, const MicroOp &u) {
  return binaryPair<true>(c, u, compared<Comparison::Equal>);
}
bool F16v2cmpeq(Core &c, const MicroOp &u) {
  return halves<Source::Whole, false>(c, u, compared16<Comparison::Equal>);
}
bool F16v2cmpeqBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, false>(c, u, compared16<Comparison::Equal>);
}
bool F16v2cmpeqBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, false>(c, u, compared16<Comparison::Equal>);
}
bool F16v4cmpeq(Core &c, const MicroOp &u) {
  return halves<Source::Whole, true>(c, u, compared16<Comparison::Equal>);
}
bool F16v4cmpeqBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, true>(c, u, compared16<Comparison::Equal>);
}
bool F16v4cmpeqBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, true>(c, u, compared16<Comparison::Equal>);
}
bool F32cmpne(Core &c, const MicroOp &u) { return binary32(c, u, compared<Comparison::NotEqual>); }
bool F32v2cmpne(Core &c, const MicroOp &u) {
  return binaryPair<false>(c, u, compared<Comparison::NotEqual>);
}
bool F32v2cmpneB(Core &c, const MicroOp &u) {
  return binaryPair<true>(c, u, compared<Comparison::NotEqual>);
}
bool F16v2cmpne(Core &c, const MicroOp &u) {
  return halves<Source::Whole, false>(c, u, compared16<Comparison::NotEqual>);
}
bool F16v2cmpneBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, false>(c, u, compared16<Comparison::NotEqual>);
}
bool F16v2cmpneBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, false>(c, u, compared16<Comparison::NotEqual>);
}
bool F16v4cmpne(Core &c, const MicroOp &u) {
  return halves<Source::Whole, true>(c, u, compared16<Comparison::NotEqual>);
}
bool F16v4cmpneBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, true>(c, u, compared16<Comparison::NotEqual>);
}
bool F16v4cmpneBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, true>(c, u, compared16<Comparison::NotEqual>);
}
bool F32cmplt(Core &c, const MicroOp &u) { return binary32(c, u, compared<Comparison::Less>); }
bool F32v2cmplt(Core &c, const MicroOp &u) {
  return binaryPair<false>(c, u, compared<Comparison::Less>);
}
bool F32v2cmpltB(Core &c, const MicroOp &u) {
  return binaryPair<true>(c, u, compared<Comparison::Less>);
}
bool F16v2cmplt(Core &c, const MicroOp &u) {
  return halves<Source::Whole, false>(c, u, compared16<Comparison::Less>);
}
bool F16v2cmpltBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, false>(c, u, compared16<Comparison::Less>);
}
bool F16v2cmpltBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, false>(c, u, compared16<Comparison::Less>);
}
bool F16v4cmplt(Core &c, const MicroOp &u) {
  return halves<Source::Whole, true>(c, u, compared16<Comparison::Less>);
}
bool F16v4cmpltBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, true>(c, u, compared16<Comparison::Less>);
}
bool F16v4cmpltBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, true>(c, u, compared16<Comparison::Less>);
}
bool F32cmple(Core &c, const MicroOp &u) { return binary32(c, u, compared<Comparison::LessEqual>); }
bool F32v2cmple(Core &c, const MicroOp &u) {
  return binaryPair<false>(c, u, compared<Comparison::LessEqual>);
}
bool F32v2cmpleB(Core &c, const MicroOp &u) {
  return binaryPair<true>(c, u, compared<Comparison::LessEqual>);
}
bool F16v2cmple(Core &c, const MicroOp &u) {
  return halves<Source::Whole, false>(c, u, compared16<Comparison::LessEqual>);
}
bool F16v2cmpleBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, false>(c, u, compared16<Comparison::LessEqual>);
}
bool F16v2cmpleBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, false>(c, u, compared16<Comparison::LessEqual>);
}
bool F16v4cmple(Core &c, const MicroOp &u) {
  return halves<Source::Whole, true>(c, u, compared16<Comparison::LessEqual>);
}
bool F16v4cmpleBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, true>(c, u, compared16<Comparison::LessEqual>);
}
bool F16v4cmpleBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, true>(c, u, compared16<Comparison::LessEqual>);
}
bool F32cmpgt(Core &c, const MicroOp &u) { return binary32(c, u, compared<Comparison::Greater>); }
bool F32v2cmpgt(Core &c, const MicroOp &u) {
  return binaryPair<false>(c, u, compared<Comparison::Greater>);
}
bool F32v2cmpgtB(Core &c, const MicroOp &u) {
  return binaryPair<true>(c, u, compared<Comparison::Greater>);
}
bool F16v2cmpgt(Core &c, const MicroOp &u) {
  return halves<Source::Whole, false>(c, u, compared16<Comparison::Greater>);
}
bool F16v2cmpgtBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, false>(c, u, compared16<Comparison::Greater>);
}
bool F16v2cmpgtBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, false>(c, u, compared16<Comparison::Greater>);
}
bool F16v4cmpgt(Core &c, const MicroOp &u) {
  return halves<Source::Whole, true>(c, u, compared16<Comparison::Greater>);
}
bool F16v4cmpgtBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, true>(c, u, compared16<Comparison::Greater>);
}
bool F16v4cmpgtBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, true>(c, u, compared16<Comparison::Greater>);
}
bool F32cmpge(Core &c, const MicroOp &u) {
  return binary32(c, u, compared<Comparison::GreaterEqual>);
}
bool F32v2cmpge(Core &c, const MicroOp &u) {
  return binaryPair<false>(c, u, compared<Comparison::GreaterEqual>);
}
bool F32v2cmpgeB(Core &c, const MicroOp &u) {
  return binaryPair<true>(c, u, compared<Comparison::GreaterEqual>);
}
bool F16v2cmpge(Core &c, const MicroOp &u) {
  return halves<Source::Whole, false>(c, u, compared16<Comparison::GreaterEqual>);
}
bool F16v2cmpgeBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, false>(c, u, compared16<Comparison::GreaterEqual>);
}
bool F16v2cmpgeBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, false>(c, u, compared16<Comparison::GreaterEqual>);
}
bool F16v4cmpge(Core &c, const MicroOp &u) {
  return halves<Source::Whole, true>(c, u, compared16<Comparison::GreaterEqual>);
}
bool F16v4cmpgeBL(Core &c, const MicroOp &u) {
  return halves<Source::Lower, true>(c, u, compared16<Comparison::GreaterEqual>);
}
bool F16v4cmpgeBU(Core &c, const MicroOp &u) {
  return halves<Source::Upper, true>(c, u, compared16<Comparison::GreaterEqual>);
}

bool F32clamp(Core &c, const MicroOp &u) {
  const std::uint64_t limits = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const auto result = fp::clamp32(auxOf(c, u, 1), low(limits), high(limits), flags);
  return c.report(flags) && setAux(c, u, result);
}
bool F32v2clamp(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), limits = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const auto lo = fp::clamp32(low(x), low(limits), high(limits), flags);
  const auto hi = fp::clamp32(high(x), low(limits), high(limits), flags);
  return c.report(flags) && setPair(c, u, joined(lo, hi));
}
namespace {
template <bool Pair> bool clampHalves(Core &c, const MicroOp &u) {
  const std::uint64_t x = Pair ? pairOf(c, u, 1) : auxOf(c, u, 1);
  const std::uint32_t limits = auxOf(c, u, 2);
  std::uint64_t result = 0;
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < (Pair ? 4 : 2); ++i)
    result |= placed(fp::clamp16(half(x, i), half(limits, 0), half(limits, 1), flags), i);
  return c.report(flags) && setHalves<Pair>(c, u, result);
}
} // namespace
bool F16v2clamp(Core &c, const MicroOp &u) { return clampHalves<false>(c, u); }
bool F16v4clamp(Core &c, const MicroOp &u) { return clampHalves<true>(c, u); }
bool F32div(Core &c, const MicroOp &u) {
  c.cycles += 2;
  std::uint32_t flags = 0;
  const std::uint32_t result = fp::div32(auxOf(c, u, 1), auxOf(c, u, 2), flags);
  const bool precise = (flags & c.fpControl & (fp::kInvalid | fp::kDivideByZero)) != 0;
  const bool goesOn = c.report(flags);
  if (goesOn || !precise)
    setAux(c, u, result);
  c.isImprecise = !goesOn && !precise; // an overflow stops it with the result written
  return goesOn;
}
bool F32sqrt(Core &c, const MicroOp &u) { return transcendental(c, u, 4, fp::sqrt32); }
bool F32oox(Core &c, const MicroOp &u) { return transcendental(c, u, 2, fp::reciprocal32); }
bool F32oorx(Core &c, const MicroOp &u) { return transcendental(c, u, 3, fp::reciprocalSqrt32); }
bool F32exp(Core &c, const MicroOp &u) { return transcendental(c, u, 2, fp::exp32); }
bool F32exp2(Core &c, const MicroOp &u) { return transcendental(c, u, 2, fp::exp2of32); }
bool F32ln(Core &c, const MicroOp &u) { return transcendental(c, u, 5, fp::ln32); }
bool F32log2(Core &c, const MicroOp &u) { return transcendental(c, u, 5, fp::log2of32); }
bool F32tanh(Core &c, const MicroOp &u) { return transcendental(c, u, 4, fp::tanh32); }
bool F32sigm(Core &c, const MicroOp &u) { return transcendental(c, u, 4, fp::sigmoid32); }
bool F16v2exp(Core &c, const MicroOp &u) { return transcendental16(c, u, 1, fp::exp16); }
bool F16v2exp2(Core &c, const MicroOp &u) { return transcendental16(c, u, 1, fp::exp2of16); }
bool F16v2ln(Core &c, const MicroOp &u) { return transcendental16(c, u, 1, fp::ln16); }
bool F16v2log2(Core &c, const MicroOp &u) { return transcendental16(c, u, 1, fp::log2of16); }
bool F16v2tanh(Core &c, const MicroOp &u) { return transcendental16(c, u, 0, fp::tanh16); }
bool F16v2sigm(Core &c, const MicroOp &u) { return transcendental16(c, u, 1, fp::sigmoid16); }
bool F32toi32(Core &c, const MicroOp &u) { return unary32(c, u, fp::toSigned); }
bool F32toui32(Core &c, const MicroOp &u) { return unary32(c, u, fp::toUnsigned); }
bool F32fromi32(Core &c, const MicroOp &u) { return setAux(c, u, fp::fromSigned(auxOf(c, u, 1))); }
bool F32fromui32(Core &c, const MicroOp &u) {
  return setAux(c, u, fp::fromUnsigned(auxOf(c, u, 1)));
}
bool F32sufromui(Core &c, const MicroOp &u) { return setAux(c, u, fp::centred32(auxOf(c, u, 1))); }
bool F32v2sufromui(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1);
  return setPair(c, u, joined(fp::centred32(low(x)), fp::centred32(high(x))));
}
bool F16v2sufromui(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1);
  return setHalves<false>(
      c, u, placed(fp::centred16(half(x, 0)), 0) | placed(fp::centred16(half(x, 1)), 1));
}
bool F16v4sufromui(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1);
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= placed(fp::centred16(half(x, i)), i);
  return setPair(c, u, result);
}
bool F32int(Core &c, const MicroOp &u) {
  const auto mode = static_cast<std::uint32_t>(u.immediate) & 7;
  return unary32(
      c, u, [&](std::uint32_t x, std::uint32_t &flags) { return fp::integral32(x, mode, flags); });
}
bool F32class(Core &c, const MicroOp &u) {
  return setAux(c, u, codeOf(fp::class32(auxOf(c, u, 1))));
}
bool F32v2class(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1);
  return setAux(c, u, codeOf(fp::class32(low(x))) | codeOf(fp::class32(high(x))) << 8);
}
namespace {
std::uint32_t classes(std::uint64_t x, unsigned count) {
  std::uint32_t codes = 0;
  for (unsigned i = 0; i < count; ++i)
    codes |= codeOf(fp::class16(half(x, i))) << (8 * i);
  return codes;
}
} // namespace
bool F16v2class(Core &c, const MicroOp &u) { return setAux(c, u, classes(auxOf(c, u, 1), 2)); }
bool F16v4class(Core &c, const MicroOp &u) { return setAux(c, u, classes(pairOf(c, u, 1), 4)); }
bool F16v2sum(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t sum = fp::sum16(half(x, 0), half(x, 1), flags);
  return c.report(flags) && setAux(c, u, sum);
}
bool F16v4sum(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t lo = fp::sum16(half(x, 0), half(x, 1), flags);
  const std::uint32_t hi = fp::sum16(half(x, 2), half(x, 3), flags);
  return c.report(flags) && setPair(c, u, joined(lo, hi));
}
bool F16v2maxc(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t larger = fp::max16(half(x, 0), half(x, 1), flags);
  return c.report(flags) && setAux(c, u, larger);
}
bool F16v4maxc(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t lo = fp::max16(half(x, 0), half(x, 1), flags);
  const std::uint32_t hi = fp::max16(half(x, 2), half(x, 3), flags);
  return c.report(flags) && setAux(c, u, lo | hi << 16);
}
bool F16tof32(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  const std::uint32_t result = fp::widen16(half(auxOf(c, u, 1), 0), flags);
  return c.report(flags) && setAux(c, u, result);
}
bool F16v2tof32(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t lo = fp::widen16(half(x, 0), flags), hi = fp::widen16(half(x, 1), flags);
  return c.report(flags) && setPair(c, u, joined(lo, hi));
}
bool F32tof16(Core &c, const MicroOp &u) {
  const Rounding rounding(c);
  std::uint32_t flags = 0;
  const std::uint32_t h = fp::round16(auxOf(c, u, 1), 0, rounding.mode, flags);
  return c.report(flags) && setAux(c, u, h | h << 16);
}
namespace {
template <unsigned Count> bool narrow(Core &c, const MicroOp &u) {
  const Rounding rounding(c);
  std::uint64_t result = 0;
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < Count; ++i)
    result |= placed(fp::round16(c.a()[u.r[1] + i], i, rounding.mode, flags), i);
  return c.report(flags) && setHalves<Count == 4>(c, u, result);
}
} // namespace
bool F32v2tof16(Core &c, const MicroOp &u) { return narrow<2>(c, u); }
bool F32v4tof16(Core &c, const MicroOp &u) { return narrow<4>(c, u); }
bool AuxAnd(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, x & y);
}
bool AuxAndc(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, x & ~y);
}
bool AuxRoll16(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, roll16(x, y));
}
bool AuxRoll8l(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, roll8l(x, y));
}
bool AuxRoll8r(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, roll8r(x, y));
}
bool AuxSort4x16hi(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, sort4x16hi(x, y));
}
bool AuxSort4x16lo(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, sort4x16lo(x, y));
}
bool AuxShuf8x8hi(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, shuf8x8hi(x, y));
}
bool AuxShuf8x8lo(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, shuf8x8lo(x, y));
}
bool AuxSort8x8hi(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, sort8x8hi(x, y));
}
bool AuxSort8x8lo(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, sort8x8lo(x, y));
}
bool AuxSort4x16hiBL(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, sort4x16hi((x & 0xFFFF) * 0x10001, y));
}
bool AuxSort4x16loBU(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  return setAux(c, u, sort4x16lo((x >> 16) * 0x10001, y));
}
bool And64(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), y = pairOf(c, u, 2);
  return setPair(c, u, x & y);
}
bool Andc64(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), y = pairOf(c, u, 2);
  return setPair(c, u, x & ~y);
}
bool Roll32(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), y = pairOf(c, u, 2);
  return setPair(c, u, joined(high(x), low(y)));
}
bool Sort4x32hi(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), y = pairOf(c, u, 2);
  return setPair(c, u, joined(high(x), high(y)));
}
bool Sort4x32lo(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), y = pairOf(c, u, 2);
  return setPair(c, u, joined(low(x), low(y)));
}
bool AuxAndZ(Core &c, const MicroOp &u) {
  return setAux(c, u, auxOf(c, u, 1) & static_cast<std::uint32_t>(u.immediate));
}
bool AuxOrZ(Core &c, const MicroOp &u) {
  return setAux(c, u, auxOf(c, u, 1) | static_cast<std::uint32_t>(u.immediate));
}
bool AuxAndcZ(Core &c, const MicroOp &u) {
  return setAux(c, u, auxOf(c, u, 1) & ~static_cast<std::uint32_t>(u.immediate));
}
bool AuxAndH(Core &c, const MicroOp &u) {
  return setAux(c, u, auxOf(c, u, 1) & static_cast<std::uint32_t>(u.immediate));
}
bool AuxOrH(Core &c, const MicroOp &u) {
  return setAux(c, u, auxOf(c, u, 1) | static_cast<std::uint32_t>(u.immediate));
}
bool AuxAndcH(Core &c, const MicroOp &u) {
  return setAux(c, u, auxOf(c, u, 1) & ~static_cast<std::uint32_t>(u.immediate));
}
bool Not(Core &c, const MicroOp &u) { return setAux(c, u, ~auxOf(c, u, 1)); }
bool Not64(Core &c, const MicroOp &u) { return setPair(c, u, ~pairOf(c, u, 1)); }
bool AuxSort8(Core &c, const MicroOp &u) { return setAux(c, u, sort8(auxOf(c, u, 1))); }
bool AuxSwap8(Core &c, const MicroOp &u) { return setAux(c, u, swap8(auxOf(c, u, 1))); }
namespace {
fp::QuarterFormat registerFormat(const Core &c) {
  return static_cast<fp::QuarterFormat>(c.fpFormat >> 1 & 1);
}
int scaleOf(const Core &c) { return static_cast<int>((c.fpScale & 63) ^ 32) - 32; }

template <unsigned Count> std::uint64_t quarters(Core &c, const MicroOp &u, std::uint32_t &flags) {
  const Rounding rounding(c);
  std::uint64_t result = 0;
  for (unsigned i = 0; i < Count; ++i) {
    const auto h = static_cast<std::uint16_t>(c.a()[u.r[1] + i / 2] >> (16 * (i % 2)));
    const auto code = fp::round8(h, scaleOf(c), registerFormat(c), i, rounding.mode, flags);
    result |= std::uint64_t{code} << (8 * i);
  }
  return result;
}
template <unsigned Count> bool widenQuarters(Core &c, const MicroOp &u) {
  const Rounding rounding(c, false);
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint64_t result = 0;
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < Count; ++i)
    result |= placed(fp::widen8(static_cast<std::uint8_t>(byteOf(x, i)), scaleOf(c),
                                registerFormat(c), rounding.mode, flags),
                     i);
  return c.report(flags) && setHalves<Count == 4>(c, u, result);
}
} // namespace
bool F16v2tof8(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  const auto codes = low(quarters<2>(c, u, flags));
  return c.report(flags) && setAux(c, u, codes | codes << 16);
}
bool F16v8tof8(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  const std::uint64_t codes = quarters<8>(c, u, flags);
  return c.report(flags) && setPair(c, u, codes);
}
bool F8v2tof16(Core &c, const MicroOp &u) { return widenQuarters<2>(c, u); }
bool F8v4tof16(Core &c, const MicroOp &u) { return widenQuarters<4>(c, u); }
bool F8v4class(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint32_t codes = 0;
  for (unsigned i = 0; i < 4; ++i)
    codes |= codeOf(fp::class8(static_cast<std::uint8_t>(byteOf(x, i)), registerFormat(c)))
             << (8 * i);
  return setAux(c, u, codes);
}
namespace {
/// A number near a normal distribution, from twelve groups of five bits.
float normal(std::uint64_t bits) {
  int sum = -186;
  for (unsigned k = 0; k < 12; ++k)
    sum += static_cast<int>(bits >> (5 * k) & 31);
  return static_cast<float>(sum) / 32.0F;
}
constexpr std::uint32_t kKeepAll = 1U << 16;
} // namespace
bool Urand32(Core &c, const MicroOp &u) { return setAux(c, u, low(c.prng.advance().r0)); }
bool Urand64(Core &c, const MicroOp &u) { return setPair(c, u, c.prng.advance().r0); }
bool F16v2grand(Core &c, const MicroOp &u) {
  const fp::RandomBits bits = c.prng.advance();
  return setAux(c, u, fp::nearest16(normal(bits.r0)) | fp::nearest16(normal(bits.r1)) << 16);
}
bool F32v2grand(Core &c, const MicroOp &u) {
  const fp::RandomBits bits = c.prng.advance();
  return setPair(c, u, joined(fp::asBits(normal(bits.r0)), fp::asBits(normal(bits.r1))));
}
bool F16v4rmask(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), bits = c.prng.advance().r0;
  const std::uint32_t keep = auxOf(c, u, 2);
  if ((keep & kKeepAll) != 0)
    return setPair(c, u, x);
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (half(bits, i) < (keep & 0xFFFF))
      result |= placed(half(x, i), i);
  return setPair(c, u, result);
}
bool F32v2rmask(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), bits = c.prng.advance().r0;
  const std::uint32_t keep = auxOf(c, u, 2);
  if ((keep & kKeepAll) != 0)
    return setPair(c, u, x);
  const std::uint32_t p = keep & 0xFFFF;
  return setPair(c, u, joined(half(bits, 0) < p ? low(x) : 0, half(bits, 2) < p ? high(x) : 0));
}

// Accumulators: every other one holds a working value.
namespace {

float &working(Core &c, unsigned i) { return c.accumulators[2 * i]; }

template <class F> bool accumulate32(Core &c, const MicroOp &u, unsigned count, F f) {
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < count; ++i)
    working(c, i) = f(working(c, i), c.a()[u.r[0] + i], flags);
  return c.report(flags);
}
template <class F> bool accumulate16(Core &c, const MicroOp &u, unsigned count, F f) {
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < count; ++i) {
    const auto h = static_cast<std::uint16_t>(c.a()[u.r[0] + i / 2] >> (16 * (i % 2)));
    working(c, i) = f(working(c, i), fp::operand16(h, flags), flags);
  }
  return c.report(flags);
}

float plainSum(float a, std::uint32_t x, std::uint32_t &flags) {
  return fp::accumulated(a, fp::partial32(x, flags));
}
float absoluteSum(float a, std::uint32_t x, std::uint32_t &flags) {
  return fp::accumulated(std::fabs(a), std::fabs(fp::partial32(x, flags)));
}
float squareSum(float a, std::uint32_t x, std::uint32_t &flags) {
  return fp::accumulated(a, fp::product(x, x, flags));
}

void dotInto(float &accumulator, std::uint64_t x, std::uint64_t y, unsigned first,
             std::uint32_t &flags) {
  const std::uint16_t xs[] = {half(x, first), half(x, first + 1)};
  const std::uint16_t ys[] = {half(y, first), half(y, first + 1)};
  accumulator = fp::accumulated(accumulator, fp::dot16(xs, ys, flags));
}

/// The first four working values as halves.
std::uint64_t workingHalves(Core &c, const fp::HalfMode &mode, std::uint32_t &flags) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= placed(fp::read16(working(c, i), i, mode, flags), i);
  return result;
}

} // namespace
bool F32v4acc(Core &c, const MicroOp &u) { return accumulate32(c, u, 4, plainSum); }
bool F32v4absacc(Core &c, const MicroOp &u) { return accumulate32(c, u, 4, absoluteSum); }
bool F32v4sqacc(Core &c, const MicroOp &u) { return accumulate32(c, u, 4, squareSum); }
bool F16v4acc(Core &c, const MicroOp &u) { return accumulate16(c, u, 4, plainSum); }
bool F16v8acc(Core &c, const MicroOp &u) { return accumulate16(c, u, 8, plainSum); }
bool F16v4absacc(Core &c, const MicroOp &u) { return accumulate16(c, u, 4, absoluteSum); }
bool F16v8absacc(Core &c, const MicroOp &u) { return accumulate16(c, u, 8, absoluteSum); }
bool F16v8sqacc(Core &c, const MicroOp &u) { return accumulate16(c, u, 8, squareSum); }
bool F16v2cmac(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  dotInto(c.accumulators[0], auxOf(c, u, 0), auxOf(c, u, 1), 0, flags);
  return c.report(flags);
}
bool F16v4cmac(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 0), y = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  dotInto(c.accumulators[0], x, y, 0, flags);
  dotInto(c.accumulators[2], x, y, 2, flags);
  return c.report(flags);
}
bool F32v2aop(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 0), y = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < 4; ++i)
    working(c, i) =
        fp::accumulated(working(c, i), fp::product(i % 2 == 0 ? low(x) : high(x),
                                                   i / 2 == 0 ? low(y) : high(y), flags));
  return c.report(flags);
}
bool F32v2axpy(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), y = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const std::uint64_t out =
      joined(fp::read32(working(c, 0), flags), fp::read32(working(c, 1), flags));
  working(c, 0) = fp::accumulated(fp::product(c.tas, low(x), flags), fp::partial32(low(y), flags));
  working(c, 1) =
      fp::accumulated(fp::product(c.tas, high(x), flags), fp::partial32(high(y), flags));
  return c.report(flags) && setPair(c, u, out);
}
bool F16v4mix(Core &c, const MicroOp &u) {
  const Rounding rounding(c);
  const std::uint64_t x = pairOf(c, u, 1), y = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const std::uint64_t out = workingHalves(c, rounding.mode, flags);
  const std::uint16_t scales[] = {half(c.tas, 0), half(c.tas, 1)};
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint16_t values[] = {half(x, i), half(y, i)};
    working(c, i) = fp::dot16(scales, values, flags);
  }
  return c.report(flags) && setPair(c, u, out);
}
namespace {
/// What `gina` reads and where the rest moves: the values of one set, working or delayed.
struct Chain {
  Chain(Core &core, std::int32_t immediate)
      : c(core), first((immediate & 1) +
                       ((immediate & 2) != 0 && core.chip->accumulatorSets > 1 ? 16U : 0U)) {}
  float &at(unsigned i) { return c.accumulators[first + 2 * i]; }
  void shift(float in0, float in1) {
    for (unsigned i = 0; i < 6; ++i)
      at(i) = at(i + 2);
    at(6) = in0;
    at(7) = in1;
  }
  Core &c;
  unsigned first;
};
} // namespace
bool F32v2gina(Core &c, const MicroOp &u) {
  Chain chain(c, u.immediate);
  const std::uint64_t in = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint64_t out = joined(fp::read32(chain.at(0), flags), fp::read32(chain.at(1), flags));
  const float in0 = fp::partial32(low(in), flags), in1 = fp::partial32(high(in), flags);
  if (!c.report(flags))
    return false;
  chain.shift(in0, in1);
  return setPair(c, u, out);
}
bool F16v2gina(Core &c, const MicroOp &u) {
  Chain chain(c, u.immediate);
  const Rounding rounding(c);
  const std::uint32_t in = auxOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint64_t out = placed(fp::read16(chain.at(0), 0, rounding.mode, flags), 0) |
                            placed(fp::read16(chain.at(1), 1, rounding.mode, flags), 1);
  const float in0 = fp::partial16(half(in, 0), flags), in1 = fp::partial16(half(in, 1), flags);
  if (!c.report(flags))
    return false;
  chain.shift(in0, in1);
  return setAux(c, u, static_cast<std::uint32_t>(out));
}
bool F16v4gacc(Core &c, const MicroOp &u) {
  const Rounding rounding(c);
  std::uint32_t flags = 0;
  const std::uint64_t out = workingHalves(c, rounding.mode, flags);
  return c.report(flags) && setPair(c, u, out);
}
namespace {
std::uint32_t rawOf(Core &c, unsigned i) { return fp::asBits(c.accumulators[i]); }
void move(Core &c, unsigned to, unsigned from) { c.accumulators[to] = c.accumulators[from]; }
} // namespace
bool F16v4stacc(Core &c, const MicroOp &u) {
  if ((u.immediate & 1) != 0) {
    const std::uint64_t out = joined(rawOf(c, 1), rawOf(c, 3));
    for (unsigned i = 1; i < 9; i += 4) {
      move(c, i, i + 4);
      move(c, i + 2, i + 6);
    }
    return setPair(c, u, out);
  }
  const std::uint64_t out = joined(rawOf(c, 0), rawOf(c, 2));
  for (unsigned i = 0; i < 12; i += 4) {
    move(c, i + 1, i + 4);
    move(c, i + 3, i + 6);
  }
  return setPair(c, u, out);
}
bool F16v4istacc(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), p = pairOf(c, u, 2);
  const std::uint64_t out = joined(rawOf(c, 1), rawOf(c, 3));
  const bool second = (u.immediate & 1) != 0;
  if (!second) {
    move(c, 1, 5);
    move(c, 3, 7);
  }
  for (unsigned i = 0; i < 4; ++i)
    c.accumulators[4 * i + (second ? 2 : 0)] =
        fp::asFloat(half(x, i) | static_cast<std::uint32_t>(half(p, i)) << 16);
  return setPair(c, u, out);
}

// AMP and SLIC.
namespace {

using fp::MatrixControl;
using fp::MatrixInput;
using fp::MatrixResults;
using fp::Partials;
using MatrixFunction = MatrixResults (*)(fp::Accumulators &, const Weights &, const MatrixInput &,
                                         const MatrixControl &, unsigned, const Partials &,
                                         std::uint32_t &);

enum class Data { Single, Half };

/// One set: partials of type \p In, results of type \p Out.
template <Data In, Data Out>
bool matrix(Core &c, const MicroOp &u, MatrixFunction function, const MatrixControl &control) {
  std::uint32_t flags = 0;
  Partials partials{};
  for (unsigned i = 0; i < 2; ++i)
    partials[i] = In == Data::Single ? fp::partial32(c.a()[u.r[2] + i], flags)
                                     : fp::partial16(half(auxOf(c, u, 2), i), flags);
  const MatrixResults r =
      function(c.accumulators, *c.weights, {MatrixInput::Kind::Half, pairOf(c, u, 1)}, control, 1,
               partials, flags);
  if constexpr (Out == Data::Single) {
    const std::uint64_t out = joined(fp::read32(r[0], flags), fp::read32(r[1], flags));
    return c.report(flags) && setPair(c, u, out);
  }
  const Rounding rounding(c, c.chip->halfAmpRoundsStochastically);
  const std::uint64_t out = placed(fp::read16(r[0], 0, rounding.mode, flags), 0) |
                            placed(fp::read16(r[1], 1, rounding.mode, flags), 1);
  return c.report(flags) && setAux(c, u, static_cast<std::uint32_t>(out));
}

/// Two sets, halves in and out.
bool matrixOfTwo(Core &c, const MicroOp &u, MatrixFunction function, const MatrixControl &control,
                 MatrixInput::Kind kind) {
  std::uint32_t flags = 0;
  const std::uint64_t p = pairOf(c, u, 2);
  Partials partials{};
  for (unsigned i = 0; i < 4; ++i)
    partials[i] = fp::partial16(half(p, i), flags);
  const MatrixInput input{kind, pairOf(c, u, 1), c.fpFormat, scaleOf(c)};
  const MatrixResults r = function(c.accumulators, *c.weights, input, control, 2, partials, flags);
  const Rounding rounding(c, c.chip->halfAmpRoundsStochastically);
  std::uint64_t out = 0;
  for (unsigned i = 0; i < 4; ++i)
    out |= placed(fp::read16(r[i], i, rounding.mode, flags), i);
  return c.report(flags) && setPair(c, u, out);
}

using SingleFunction = MatrixResults (*)(fp::Accumulators &, const Weights &, std::uint32_t,
                                         const MatrixControl &, unsigned, const Partials &,
                                         std::uint32_t &);

/// f32: in phases whose last bit is \p idle, the partials are not used and the results not defined.
Partials partialsOf(Core &c, const MicroOp &u, bool used, std::uint32_t &flags) {
  Partials partials{};
  if (used)
    for (unsigned i = 0; i < 2; ++i)
      partials[i] = fp::partial32(c.a()[u.r[2] + i], flags);
  return partials;
}
bool setResults(Core &c, const MicroOp &u, const MatrixResults &r, std::uint32_t flags) {
  const std::uint64_t out = joined(fp::read32(r[0], flags), fp::read32(r[1], flags));
  return c.report(flags) && setPair(c, u, out);
}

bool matrixOfSingles(Core &c, const MicroOp &u, SingleFunction function,
                     const MatrixControl &control) {
  std::uint32_t flags = 0;
  const Partials partials = partialsOf(c, u, control.phase % 2 == 0, flags);
  const MatrixResults r =
      function(c.accumulators, *c.weights, auxOf(c, u, 1), control, 0, partials, flags);
  return setResults(c, u, r, flags);
}

/// Set 1 runs one call behind, on the input of the call before.
bool matrixOfTwoSingles(Core &c, const MicroOp &u, SingleFunction function,
                        const MatrixControl &control, unsigned phases) {
  std::uint32_t flags = 0;
  const std::uint32_t x = auxOf(c, u, 1);
  const Partials partials = partialsOf(c, u, true, flags);
  MatrixControl late = control;
  late.phase = (control.phase + phases - 1) % phases;
  const MatrixResults first = function(c.accumulators, *c.weights, x, control, 0, partials, flags);
  const MatrixResults second =
      function(c.accumulators, *c.weights, c.tas, late, 1, partials, flags);
  c.tas = x;
  return setResults(c, u, control.phase % 2 == 0 ? first : second, flags);
}

MatrixControl ampControl(const MicroOp &u) {
  return MatrixControl::amp(static_cast<std::uint32_t>(u.immediate));
}
MatrixControl slicControl(const MicroOp &u) {
  return MatrixControl::slic(static_cast<std::uint32_t>(u.immediate));
}

} // namespace

bool F16v4sisoamp(Core &c, const MicroOp &u) {
  return matrix<Data::Single, Data::Single>(c, u, fp::amp, ampControl(u));
}
bool F16v4sihoamp(Core &c, const MicroOp &u) {
  return matrix<Data::Single, Data::Half>(c, u, fp::amp, ampControl(u));
}
bool F16v4hihoamp(Core &c, const MicroOp &u) {
  return matrix<Data::Half, Data::Half>(c, u, fp::amp, ampControl(u));
}
bool F16v4hihov4amp(Core &c, const MicroOp &u) {
  return matrixOfTwo(c, u, fp::amp, ampControl(u), MatrixInput::Kind::Half);
}
bool F8v8hihov4amp(Core &c, const MicroOp &u) {
  return matrixOfTwo(c, u, fp::amp, ampControl(u), MatrixInput::Kind::Quarter);
}
bool F32sisoamp(Core &c, const MicroOp &u) {
  return matrixOfSingles(c, u, fp::amp32, ampControl(u));
}
bool F32sisov2amp(Core &c, const MicroOp &u) {
  return matrixOfTwoSingles(c, u, fp::amp32, ampControl(u), 8);
}
bool F16v4sisoslic(Core &c, const MicroOp &u) {
  return matrix<Data::Single, Data::Single>(c, u, fp::slic, slicControl(u));
}
bool F16v4sihoslic(Core &c, const MicroOp &u) {
  return matrix<Data::Single, Data::Half>(c, u, fp::slic, slicControl(u));
}
bool F16v4hihoslic(Core &c, const MicroOp &u) {
  return matrix<Data::Half, Data::Half>(c, u, fp::slic, slicControl(u));
}
bool F16v4hihov4slic(Core &c, const MicroOp &u) {
  return matrixOfTwo(c, u, fp::slic, slicControl(u), MatrixInput::Kind::Half);
}
bool F8v8hihov4slic(Core &c, const MicroOp &u) {
  return matrixOfTwo(c, u, fp::slic, slicControl(u), MatrixInput::Kind::Quarter);
}
bool F32sisoslic(Core &c, const MicroOp &u) {
  return matrixOfSingles(c, u, fp::slic32, slicControl(u));
}
bool F32sisov2slic(Core &c, const MicroOp &u) {
  return matrixOfTwoSingles(c, u, fp::slic32, slicControl(u), 2);
}

} // namespace copse::ipud::operation
