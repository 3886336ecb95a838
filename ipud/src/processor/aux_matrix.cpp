#include "processor/aux_operations.hpp"
#include "processor/half_rounding.hpp"
#include "processor/host_processor.hpp"
#include "processor/matrix_vectors.hpp"
#include "processor/wide_vectors.hpp"

#include <array>
#include <utility>

/// AMP and SLIC: read partial sums, call the units, write results. Each instruction first tries to
/// compute all units at once, which works for ordinary numbers, and otherwise computes unit by
/// unit.
namespace copse::ipud::operation {
namespace {

using fp::Eight;
using fp::MatrixControl;
using fp::MatrixInput;
using fp::MatrixResults;
using fp::Partials;

enum class Data { Single, Half };
enum class MatrixOp { Amp, Slic };

template <MatrixOp Op> MatrixControl controlOf(const MicroOp &u) {
  const auto immediate = static_cast<std::uint32_t>(u.immediate);
  return Op == MatrixOp::Amp ? MatrixControl::amp(immediate) : MatrixControl::slic(immediate);
}

// Unit by unit

template <Data In>
Partials partialsOf(Core &c, const MicroOp &u, unsigned sets, std::uint32_t &flags) {
  Partials partials{};
  for (unsigned i = 0; i < 2 * sets; ++i)
    partials[i] = In == Data::Single ? fp::partial32(c.r()[u.r[2] + i], flags)
                                     : fp::partial16(half(c.r()[u.r[2] + i / 2], i % 2), flags);
  return partials;
}

/// Writes the results, unless the flags stop the program.
template <Data Out>
bool setResults(Core &c, const MicroOp &u, const MatrixResults &r, unsigned sets,
                std::uint32_t flags) {
  if constexpr (Out == Data::Single) {
    const std::uint64_t out = joined(fp::read32(r[0], flags), fp::read32(r[1], flags));
    return c.report(flags) && setPair(c, u, out);
  }
  const Rounding rounding(c, c.chip->halfAmpRoundsStochastically);
  std::uint64_t out = 0;
  for (unsigned i = 0; i < 2 * sets; ++i)
    out |= placed(fp::read16(r[i], i, rounding.mode, flags), i);
  return c.report(flags) && (sets == 1 ? setAux(c, u, low(out)) : setPair(c, u, out));
}

template <MatrixOp Op, unsigned Sets, Data In, Data Out>
bool callUnits(Core &c, const MicroOp &u, const MatrixInput &input) {
  std::uint32_t flags = 0;
  const Partials partials = partialsOf<In>(c, u, Sets, flags);
  const auto function = Op == MatrixOp::Amp ? fp::amp : fp::slic;
  const MatrixResults results =
      function(c.accumulators, *c.weights, input, controlOf<Op>(u), Sets, partials, flags);
  return setResults<Out>(c, u, results, Sets, flags);
}

/// f32: in odd phases the partials are not used and the results are undefined.
template <MatrixOp Op> bool callUnits32(Core &c, const MicroOp &u) {
  const MatrixControl control = controlOf<Op>(u);
  std::uint32_t flags = 0;
  const Partials partials =
      control.phase % 2 == 0 ? partialsOf<Data::Single>(c, u, 1, flags) : Partials{};
  const auto function = Op == MatrixOp::Amp ? fp::amp32 : fp::slic32;
  const MatrixResults results =
      function(c.accumulators, *c.weights, auxOf(c, u, 1), control, 0, partials, flags);
  return setResults<Data::Single>(c, u, results, 1, flags);
}

/// Set 1 runs one call late, on the input of the previous call.
template <MatrixOp Op> MatrixControl lateControl(const MatrixControl &control) {
  constexpr unsigned kPhases = Op == MatrixOp::Amp ? 8 : 2;
  MatrixControl late = control;
  late.phase = (control.phase + kPhases - 1) % kPhases;
  return late;
}
template <MatrixOp Op> bool callUnitsOfTwo32(Core &c, const MicroOp &u) {
  const MatrixControl control = controlOf<Op>(u);
  const auto function = Op == MatrixOp::Amp ? fp::amp32 : fp::slic32;
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint32_t flags = 0;
  const Partials partials = partialsOf<Data::Single>(c, u, 1, flags);
  const MatrixResults first = function(c.accumulators, *c.weights, x, control, 0, partials, flags);
  const MatrixResults second =
      function(c.accumulators, *c.weights, c.tas, lateControl<Op>(control), 1, partials, flags);
  c.tas = x;
  return setResults<Data::Single>(c, u, control.phase % 2 == 0 ? first : second, 1, flags);
}

// All units at once

/// The effect of a call on one set.
struct SetCall {
  float *working, *delayed; ///< accumulators of the set
  /// The values that move along.
  const float *chain;
  Eight sums, moved;
};

/// \param first  phase 0 of AMP
template <MatrixOp Op>
[[gnu::always_inline]] inline SetCall calledSet(Core &c, unsigned set, bool first, bool moves,
                                                const Eight &terms, __m128 partials,
                                                unsigned units) {
  float *const working = c.accumulators.working.data() + fp::kUnitsPerSet * set;
  float *const delayed = c.accumulators.delayed.data() + fp::kUnitsPerSet * set;
  if (Op == MatrixOp::Slic) {
    const Eight base = moves ? fp::movedUp(working, partials, units) : fp::loadedEight(working);
    return {working, delayed, working, base + terms, Eight{}};
  }
  const float *const chain = first ? working : delayed;
  return {working, delayed, chain, fp::loadedEight(first ? delayed : working) + terms,
          moves ? fp::movedUp(chain, partials, units) : Eight{}};
}
template <MatrixOp Op>
[[gnu::always_inline]] inline void commit(const SetCall &s, bool moves, unsigned units) {
  if (Op == MatrixOp::Amp && moves)
    fp::store(s.delayed, s.moved, units);
  fp::store(s.working, s.sums, units);
}

/// Adds minus zero, which changes no value except that denormals become zero in this mode.
__m128 flushed(__m128 x) {
  __m128 minusZero = fp::kSigns;
  asm("" : "+x"(minusZero)); // otherwise the compiler removes the sum
  return _mm_add_ps(x, minusZero);
}

/// Returns the incoming partial sums; halves are widened.
/// \param bad  gets all ones where one of them is not finite
template <Data In, unsigned Sets>
[[gnu::always_inline]] inline __m128 partialsAtOnce(Core &c, const MicroOp &u, __m128 &bad) {
  if constexpr (In == Data::Single) {
    const __m128 singles = fp::loadedPair(c.r() + u.r[2]);
    bad = fp::unbounded(singles);
    return flushed(singles);
  }
  const std::uint64_t halves = Sets == 2 ? pairOf(c, u, 2) : auxOf(c, u, 2);
  const __m128 numbers = fp::widened(halves);
  bad = fp::specials(halves);
  return numbers;
}

/// Finishes a call after the dot products of all units, four at a time.
template <MatrixOp Op, unsigned Sets, Data In, Data Out>
[[gnu::always_inline]] inline bool addedAtOnce(Core &c, const MicroOp &u, bool first,
                                               unsigned units, const __m128 (&dots)[2 * Sets]) {
  __m128 bad;
  const __m128 partials = partialsAtOnce<In, Sets>(c, u, bad);
  const SetCall set0 = calledSet<Op>(c, 0, first, true, {dots[0], dots[1]}, partials, units);
  __m128 results = fp::loadedPair(set0.chain);
  bad = _mm_or_ps(bad, fp::unordered(set0.sums));
  SetCall set1{};
  if constexpr (Sets == 2) {
    set1 = calledSet<Op>(c, 1, first, true, {dots[2], dots[3]}, _mm_movehl_ps(partials, partials),
                         units);
    bad = _mm_or_ps(bad, fp::unordered(set1.sums));
    results = _mm_movelh_ps(results, fp::loadedPair(set1.chain));
  }
  std::uint64_t out = 0;
  if constexpr (Out == Data::Single) {
    bad = _mm_or_ps(bad, fp::unbounded(results));
    fp::storePair(&out, results);
  } else if (roundsStochastically(c) || !fp::narrow(results, out)) {
    return false;
  }
  if (fp::any(bad)) [[unlikely]]
    return false;
  commit<Op>(set0, true, units);
  if constexpr (Sets == 2)
    commit<Op>(set1, true, units);
  return Out == Data::Half && Sets == 1 ? setAux(c, u, low(out)) : setPair(c, u, out);
}

template <MatrixOp Op, unsigned Sets, Data In, Data Out, MatrixInput::Kind Kind>
[[gnu::always_inline]] inline bool callAtOnce(Core &c, const MicroOp &u, const MatrixInput &input) {
  const MatrixControl control = controlOf<Op>(u);
  __m128 dots[2 * Sets];
  const bool fits = Kind == MatrixInput::Kind::Half
                        ? fp::dotHalves(*c.weights, control.group, input.x, dots)
                        : fp::dotQuarters(*c.weights, control.group, input, dots);
  if (!fits) [[unlikely]]
    return false;
  return addedAtOnce<Op, Sets, In, Out>(c, u, control.phase == 0, control.units(), dots);
}

template <MatrixOp Op, unsigned Sets, Data In, Data Out, MatrixInput::Kind Kind>
[[gnu::noinline]] bool callSlowly(Core &c, const MicroOp &u) {
  const MatrixInput input{Kind, pairOf(c, u, 1), c.fpFormat, c.quarterScale()};
  const unsigned group = controlOf<Op>(u).group;
  const WeightFormat format =
      Kind == MatrixInput::Kind::Half ? WeightFormat::Half : formatOf(input.weightFormat());
  if (c.weights->numbers(group).format != format) {
    c.weights->prepare(group, format);
    if (callAtOnce<Op, Sets, In, Out, Kind>(c, u, input))
      return true;
  }
  return callUnits<Op, Sets, In, Out>(c, u, input);
}

template <MatrixOp Op, unsigned Sets, Data In, Data Out,
          MatrixInput::Kind Kind = MatrixInput::Kind::Half>
bool call(Core &c, const MicroOp &u) {
  const MatrixInput input{Kind, pairOf(c, u, 1), c.fpFormat, c.quarterScale()};
  if (callAtOnce<Op, Sets, In, Out, Kind>(c, u, input)) [[likely]]
    return true;
  return callSlowly<Op, Sets, In, Out, Kind>(c, u);
}

/// Calls all engines, on a host with hasWideVectors().
template <MatrixOp Op, unsigned Sets, Data In, Data Out, bool First>
COPSE_WIDE bool callWide(Core &c, const MicroOp &u) {
  __m128 dots[2 * Sets];
  if (fp::dotHalvesWide(*c.weights, controlOf<Op>(u).group, pairOf(c, u, 1), dots) &&
      addedAtOnce<Op, Sets, In, Out>(c, u, First, fp::kUnitsPerSet, dots)) [[likely]]
    return true;
  return callSlowly<Op, Sets, In, Out, MatrixInput::Kind::Half>(c, u);
}
template <MatrixOp Op, unsigned Sets, Data In, Data Out>
Function wideFunction(std::uint32_t immediate) {
  return Op == MatrixOp::Amp && MatrixControl::amp(immediate).phase == 0
             ? callWide<Op, Sets, In, Out, true>
             : callWide<Op, Sets, In, Out, false>;
}
/// Returns null for everything but calls of halves.
Function wideFunctionOf(isa::Opcode opcode, std::uint32_t immediate) {
  switch (opcode) {
  case isa::Opcode::F16v4sisoamp:
    return wideFunction<MatrixOp::Amp, 1, Data::Single, Data::Single>(immediate);
  case isa::Opcode::F16v4sihoamp:
    return wideFunction<MatrixOp::Amp, 1, Data::Single, Data::Half>(immediate);
  case isa::Opcode::F16v4hihoamp:
    return wideFunction<MatrixOp::Amp, 1, Data::Half, Data::Half>(immediate);
  case isa::Opcode::F16v4hihov4amp:
    return wideFunction<MatrixOp::Amp, 2, Data::Half, Data::Half>(immediate);
  case isa::Opcode::F16v4sisoslic:
    return wideFunction<MatrixOp::Slic, 1, Data::Single, Data::Single>(immediate);
  case isa::Opcode::F16v4sihoslic:
    return wideFunction<MatrixOp::Slic, 1, Data::Single, Data::Half>(immediate);
  case isa::Opcode::F16v4hihoslic:
    return wideFunction<MatrixOp::Slic, 1, Data::Half, Data::Half>(immediate);
  case isa::Opcode::F16v4hihov4slic:
    return wideFunction<MatrixOp::Slic, 2, Data::Half, Data::Half>(immediate);
  default:
    return nullptr;
  }
}

// f32 at once, if all engines work. \p Row of the weights is the phase of AMP, or the group and
// phase of SLIC.

constexpr unsigned lateRow(MatrixOp op, unsigned row) {
  return op == MatrixOp::Amp ? (row + Weights::kPhases - 1) % Weights::kPhases : row ^ 1;
}

template <MatrixOp Op, unsigned Row>
[[gnu::always_inline]] inline SetCall calledSet32(Core &c, unsigned set, std::uint32_t x,
                                                  __m128 partials) {
  const std::uint32_t *const weights = c.weights->words(Row) + fp::kUnitsPerSet * set;
  return calledSet<Op>(c, set, Op == MatrixOp::Amp && Row == 0, Row % 2 == 0,
                       fp::productsOf(weights, x), flushed(partials), fp::kUnitsPerSet);
}

template <MatrixOp Op, unsigned Row, unsigned Sets>
[[gnu::always_inline]] inline bool callAtOnce32(Core &c, const MicroOp &u) {
  constexpr bool kMoves = Row % 2 == 0;
  const std::uint32_t x = auxOf(c, u, 1);
  const __m128 partials = kMoves || Sets == 2 ? fp::loadedPair(c.r() + u.r[2]) : _mm_setzero_ps();
  const SetCall set0 = calledSet32<Op, Row>(c, 0, x, partials);
  __m128 bad = fp::unordered(set0.sums), results = fp::loadedPair(set0.chain);
  SetCall set1{};
  if constexpr (Sets == 2) {
    set1 = calledSet32<Op, lateRow(Op, Row)>(c, 1, c.tas, partials);
    bad = _mm_or_ps(bad, fp::unordered(set1.sums));
    if constexpr (!kMoves)
      results = fp::loadedPair(set1.chain);
  }
  bad = _mm_or_ps(bad,
                  fp::unbounded(kMoves || Sets == 2 ? _mm_movelh_ps(results, partials) : results));
  if (fp::any(bad)) [[unlikely]]
    return false;
  commit<Op>(set0, kMoves, fp::kUnitsPerSet);
  if constexpr (Sets == 2) {
    commit<Op>(set1, !kMoves, fp::kUnitsPerSet);
    c.tas = x;
  }
  fp::storePair(c.r() + u.r[0], results);
  return true;
}

template <MatrixOp Op, unsigned Row, unsigned Sets>
[[gnu::noinline]] bool callSlowly32(Core &c, const MicroOp &u) {
  const bool isPlain = c.weights->multipliesPlainly(Row, auxOf(c, u, 1)) &&
                       (Sets == 1 || c.weights->multipliesPlainly(lateRow(Op, Row), c.tas));
  if (isPlain && callAtOnce32<Op, Row, Sets>(c, u))
    return true;
  return Sets == 1 ? callUnits32<Op>(c, u) : callUnitsOfTwo32<Op>(c, u);
}

template <MatrixOp Op, unsigned Row, unsigned Sets> bool call32(Core &c, const MicroOp &u) {
  const bool isNormal = c.weights->multipliesToNormals(Row, auxOf(c, u, 1)) &&
                        (Sets == 1 || c.weights->multipliesToNormals(lateRow(Op, Row), c.tas));
  if (isNormal && callAtOnce32<Op, Row, Sets>(c, u)) [[likely]]
    return true;
  return callSlowly32<Op, Row, Sets>(c, u);
}

using Rows = std::array<Function, Weights::kPhases>;
template <MatrixOp Op, unsigned Sets> constexpr Rows rows() {
  return []<std::size_t... Row>(std::index_sequence<Row...>) {
    return Rows{call32<Op, Row, Sets>...};
  }(std::make_index_sequence<Weights::kPhases>{});
}

} // namespace

Function matrixFunctionOf(isa::Opcode opcode, std::uint32_t immediate) {
  static constexpr Rows kAmp = rows<MatrixOp::Amp, 1>(), kAmpOfTwo = rows<MatrixOp::Amp, 2>(),
                        kSlic = rows<MatrixOp::Slic, 1>(), kSlicOfTwo = rows<MatrixOp::Slic, 2>();
  constexpr std::uint32_t kAllEngines = 3;
  if (immediate >> 4 != kAllEngines)
    return nullptr;
  const MatrixControl slic = MatrixControl::slic(immediate);
  switch (opcode) {
  case isa::Opcode::F32sisoamp:
    return kAmp[MatrixControl::amp(immediate).phase];
  case isa::Opcode::F32sisov2amp:
    return kAmpOfTwo[MatrixControl::amp(immediate).phase];
  case isa::Opcode::F32sisoslic:
    return kSlic[2 * slic.group + slic.phase];
  case isa::Opcode::F32sisov2slic:
    return kSlicOfTwo[2 * slic.group + slic.phase];
  default:
    return hasWideVectors() ? wideFunctionOf(opcode, immediate) : nullptr;
  }
}

// Format names: single (s) or half (h), in and out.
#define COPSE_MATRIX(name, op, sets, in, out, ...)                                                 \
  bool name(Core &c, const MicroOp &u) {                                                           \
    return call<MatrixOp::op, sets, Data::in, Data::out __VA_OPT__(, ) __VA_ARGS__>(c, u);         \
  }
COPSE_MATRIX(F16v4sisoamp, Amp, 1, Single, Single)
COPSE_MATRIX(F16v4sihoamp, Amp, 1, Single, Half)
COPSE_MATRIX(F16v4hihoamp, Amp, 1, Half, Half)
COPSE_MATRIX(F16v4hihov4amp, Amp, 2, Half, Half)
COPSE_MATRIX(F8v8hihov4amp, Amp, 2, Half, Half, MatrixInput::Kind::Quarter)
COPSE_MATRIX(F16v4sisoslic, Slic, 1, Single, Single)
COPSE_MATRIX(F16v4sihoslic, Slic, 1, Single, Half)
COPSE_MATRIX(F16v4hihoslic, Slic, 1, Half, Half)
COPSE_MATRIX(F16v4hihov4slic, Slic, 2, Half, Half)
COPSE_MATRIX(F8v8hihov4slic, Slic, 2, Half, Half, MatrixInput::Kind::Quarter)
#undef COPSE_MATRIX

bool F32sisoamp(Core &c, const MicroOp &u) { return callUnits32<MatrixOp::Amp>(c, u); }
bool F32sisov2amp(Core &c, const MicroOp &u) { return callUnitsOfTwo32<MatrixOp::Amp>(c, u); }
bool F32sisoslic(Core &c, const MicroOp &u) { return callUnits32<MatrixOp::Slic>(c, u); }
bool F32sisov2slic(Core &c, const MicroOp &u) { return callUnitsOfTwo32<MatrixOp::Slic>(c, u); }

} // namespace copse::ipud::operation
