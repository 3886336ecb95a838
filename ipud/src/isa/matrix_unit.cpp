#include "isa/matrix_unit.hpp"

#include <algorithm>
#include <cstring>

namespace copse::ipud {
namespace {

std::uint16_t halfOf(std::uint64_t bits, unsigned i) {
  return static_cast<std::uint16_t>(bits >> (16 * i));
}

} // namespace

void Weights::set(unsigned index, std::uint64_t bits) {
  raw_[index] = bits;
  const unsigned unit = index / kGroups, group = index % kGroups;
  for (unsigned i = 0; i < kInputs; ++i) {
    const std::uint16_t half = halfOf(bits, i);
    numbers_[group][i][unit] = static_cast<double>(fp::valueOf16(half));
    widen(group, half);
  }
}

void Weights::widen(unsigned group, std::uint16_t half) {
  if ((half & 0x7FFF) == 0)
    return;
  const auto exponent = static_cast<std::uint8_t>(std::max(half >> 10 & 31, 1));
  least_[group] = std::min(least_[group], exponent);
  greatest_[group] = std::max(greatest_[group], exponent);
}

bool Weights::sumsExactly(unsigned group, unsigned least, unsigned greatest) const {
  // Products have 22 digits, four of them two more; a double has 53.
  constexpr unsigned kSpread = 53 - 22 - 2;
  return greatest_[group] < 31 && greatest < 31 &&
         static_cast<int>(greatest_[group] - least_[group]) + static_cast<int>(greatest - least) <=
             static_cast<int>(kSpread);
}

namespace fp {
namespace {

/// a + b where that is all there is to it, which is nearly always: the executor's thread treats
/// denormal operands as zero.
float sumOf(float a, float b) {
  const float sum = a + b;
  const std::uint32_t magnitude = asBits(sum) & ~kSign32;
  const bool isOrdinary = (magnitude & kExponent32) - 1 < kExponent32 - 1;
  return isOrdinary || magnitude == 0 ? sum : accumulated(a, b);
}

constexpr unsigned kUnitsPerSet = 8;

using Dots = std::array<float, Weights::kUnits>;

/// Exponent fields of the halves of \p x that are not zero: {31, 0} if all are.
void boundsOf(std::uint64_t x, unsigned &least, unsigned &greatest) {
  least = 31;
  greatest = 0;
  for (unsigned i = 0; i < 4; ++i, x >>= 16) {
    if ((x & 0x7FFF) == 0)
      continue;
    const auto exponent = std::max(static_cast<unsigned>(x >> 10 & 31), 1U);
    least = std::min(least, exponent);
    greatest = std::max(greatest, exponent);
  }
}

using Pair = double __attribute__((vector_size(16)));

/// The dot products of all units of \p sets sets at once, where doubles hold their sums exactly.
void dotsAtOnce(const double (&weights)[Weights::kInputs][Weights::kUnits], std::uint64_t x,
                unsigned units, Dots &dots) {
  Pair inputs[Weights::kInputs];
  for (unsigned i = 0; i < Weights::kInputs; ++i) {
    const auto value = static_cast<double>(valueOf16(halfOf(x, i)));
    inputs[i] = Pair{value, value};
  }
  for (unsigned u = 0; u < units; u += 2) {
    Pair sum{};
    for (unsigned i = 0; i < Weights::kInputs; ++i) {
      Pair w;
      std::memcpy(&w, &weights[i][u], sizeof w);
      sum += w * inputs[i];
    }
    dots[u] = static_cast<float>(sum[0]);
    dots[u + 1] = static_cast<float>(sum[1]);
  }
}

float dotOf(std::uint64_t weights, const MatrixInput &input, std::uint32_t &flags) {
  if (input.kind == MatrixInput::Kind::Half) {
    std::uint16_t w[4], x[4];
    std::memcpy(w, &weights, sizeof w);
    std::memcpy(x, &input.x, sizeof x);
    return dot16(x, w, flags);
  }
  std::uint8_t w[8], x[8];
  std::memcpy(w, &weights, sizeof w);
  std::memcpy(x, &input.x, sizeof x);
  return dot8(x, static_cast<QuarterFormat>(input.format >> 1 & 1), w,
              static_cast<QuarterFormat>(input.format & 1), input.scale, flags);
}

void dotsOf(const Weights &weights, unsigned group, const MatrixInput &input, unsigned engines,
            unsigned sets, Dots &dots, std::uint32_t &flags) {
  unsigned least = 0, greatest = 0;
  if (input.kind == MatrixInput::Kind::Half) {
    boundsOf(input.x, least, greatest);
    if (weights.sumsExactly(group, least, greatest))
      return dotsAtOnce(weights.numbers(group), input.x, kUnitsPerSet * sets, dots);
  }
  for (unsigned set = 0; set < sets; ++set)
    for (unsigned u = 0; u < 2 * (engines + 1); ++u)
      dots[kUnitsPerSet * set + u] =
          dotOf(weights.bits(kUnitsPerSet * set + u, group), input, flags);
}

/// The results of phases that give any: the working or the delayed values of the first two units.
MatrixResults frontOf(const Accumulators &a, unsigned sets, unsigned which) {
  MatrixResults results{};
  for (unsigned set = 0; set < sets; ++set) {
    results[2 * set] = a[16 * set + which];
    results[2 * set + 1] = a[16 * set + 2 + which];
  }
  return results;
}

} // namespace

MatrixResults amp(Accumulators &a, const Weights &weights, const MatrixInput &input,
                  const MatrixControl &control, unsigned sets, const Partials &partials,
                  std::uint32_t &flags) {
  Dots dots;
  dotsOf(weights, control.phase & 3, input, control.engines, sets, dots, flags);
  const unsigned delayed = control.phase == 0 ? 0 : 1; // which value leaves, and moves on
  const unsigned summed = 1 - delayed;                 // which one goes on summing
  const MatrixResults results = frontOf(a, sets, delayed);
  for (unsigned set = 0; set < sets; ++set) {
    float *const own = &a[16 * set];
    const unsigned units = 2 * (control.engines + 1);
    for (unsigned u = 0; u < units; ++u) {
      // Ascending: what stands behind is still old.
      const float even = sumOf(own[2 * u + summed], dots[kUnitsPerSet * set + u]);
      own[2 * u + 1] = u + 2 < units ? own[2 * (u + 2) + delayed] : partials[2 * set + u % 2];
      own[2 * u] = even;
    }
  }
  return results;
}

MatrixResults slic(Accumulators &a, const Weights &weights, const MatrixInput &input,
                   const MatrixControl &control, unsigned sets, const Partials &partials,
                   std::uint32_t &flags) {
  Dots dots;
  dotsOf(weights, control.group, input, control.engines, sets, dots, flags);
  const MatrixResults results = frontOf(a, sets, 0);
  for (unsigned set = 0; set < sets; ++set) {
    float *const own = &a[16 * set];
    const unsigned units = 2 * (control.engines + 1);
    for (unsigned u = 0; u < units; ++u)
      own[2 * u] = sumOf(u + 2 < units ? own[2 * (u + 2)] : partials[2 * set + u % 2],
                         dots[kUnitsPerSet * set + u]);
  }
  return results;
}

namespace {

std::uint32_t weight32(const Weights &weights, unsigned unit, unsigned group, bool upper) {
  return static_cast<std::uint32_t>(weights.bits(unit, group) >> (upper ? 32 : 0));
}

} // namespace

MatrixResults amp32(Accumulators &a, const Weights &weights, std::uint32_t x,
                    const MatrixControl &control, unsigned set, const Partials &partials,
                    std::uint32_t &flags) {
  float *const own = &a[16 * set];
  const unsigned units = 2 * (control.engines + 1);
  const bool first = control.phase == 0, moves = control.phase % 2 == 0;
  const unsigned delayed = first ? 0 : 1;
  const MatrixResults results{own[delayed], own[2 + delayed]};
  for (unsigned u = 0; u < units; ++u) {
    const std::uint32_t w =
        weight32(weights, kUnitsPerSet * set + u, control.phase / 2, control.phase % 2 != 0);
    const float even = sumOf(own[2 * u + (first ? 1 : 0)], product(w, x, flags));
    if (moves)
      own[2 * u + 1] = u + 2 < units ? own[2 * (u + 2) + delayed] : partials[u % 2];
    own[2 * u] = even;
  }
  return results;
}

MatrixResults slic32(Accumulators &a, const Weights &weights, std::uint32_t x,
                     const MatrixControl &control, unsigned set, const Partials &partials,
                     std::uint32_t &flags) {
  float *const own = &a[16 * set];
  const unsigned units = 2 * (control.engines + 1);
  const MatrixResults results{own[0], own[2]};
  for (unsigned u = 0; u < units; ++u) {
    const std::uint32_t w =
        weight32(weights, kUnitsPerSet * set + u, control.group, control.phase != 0);
    const float base = control.phase != 0 ? own[2 * u]
                       : u + 2 < units    ? own[2 * (u + 2)]
                                          : partials[u % 2];
    own[2 * u] = sumOf(base, product(w, x, flags));
  }
  return results;
}

} // namespace fp
} // namespace copse::ipud
