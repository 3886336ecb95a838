#include "processor/matrix_unit.hpp"

#include <cstring>

namespace copse::ipud::fp {
namespace {

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
  return dot8(x, input.inputFormat(), w, input.weightFormat(), input.scale, flags);
}

using Chain = std::array<float, Accumulators::kUnits>;

/// Returns the results that leave a chain: the first two values of each set.
MatrixResults frontOf(const Chain &chain, unsigned sets) {
  MatrixResults results{};
  for (unsigned set = 0; set < sets; ++set) {
    results[2 * set] = chain[kUnitsPerSet * set];
    results[2 * set + 1] = chain[kUnitsPerSet * set + 1];
  }
  return results;
}

/// Returns the value that moves to unit \p u of a set: the value of the unit two further back, or a
/// partial.
float behind(const Chain &chain, unsigned set, unsigned u, unsigned units, const float *partials) {
  return u + 2 < units ? chain[kUnitsPerSet * set + u + 2] : partials[u % 2];
}

} // namespace

MatrixResults amp(Accumulators &a, const Weights &weights, const MatrixInput &input,
                  const MatrixControl &control, unsigned sets, const Partials &partials,
                  std::uint32_t &flags) {
  const Accumulators old = a;
  // New sums start with the values that have passed the chain.
  const bool first = control.phase == 0;
  const Chain &chain = first ? old.working : old.delayed;
  const Chain &summed = first ? old.delayed : old.working;
  for (unsigned set = 0; set < sets; ++set)
    for (unsigned u = 0; u < control.units(); ++u) {
      const unsigned unit = kUnitsPerSet * set + u;
      const float dot = dotOf(weights.bits(unit, control.group), input, flags);
      a.working[unit] = accumulated(summed[unit], dot);
      a.delayed[unit] = behind(chain, set, u, control.units(), &partials[2 * set]);
    }
  return frontOf(chain, sets);
}

MatrixResults slic(Accumulators &a, const Weights &weights, const MatrixInput &input,
                   const MatrixControl &control, unsigned sets, const Partials &partials,
                   std::uint32_t &flags) {
  const Chain old = a.working;
  for (unsigned set = 0; set < sets; ++set)
    for (unsigned u = 0; u < control.units(); ++u) {
      const unsigned unit = kUnitsPerSet * set + u;
      const float dot = dotOf(weights.bits(unit, control.group), input, flags);
      a.working[unit] = accumulated(behind(old, set, u, control.units(), &partials[2 * set]), dot);
    }
  return frontOf(old, sets);
}

MatrixResults amp32(Accumulators &a, const Weights &weights, std::uint32_t x,
                    const MatrixControl &control, unsigned set, const Partials &partials,
                    std::uint32_t &flags) {
  const Accumulators old = a;
  const bool first = control.phase == 0, moves = control.phase % 2 == 0;
  const Chain &chain = first ? old.working : old.delayed;
  const Chain &summed = first ? old.delayed : old.working;
  for (unsigned u = 0; u < control.units(); ++u) {
    const unsigned unit = kUnitsPerSet * set + u;
    const float term = product(weights.words(control.phase)[unit], x, flags);
    a.working[unit] = accumulated(summed[unit], term);
    if (moves)
      a.delayed[unit] = behind(chain, set, u, control.units(), partials.data());
  }
  return {chain[kUnitsPerSet * set], chain[kUnitsPerSet * set + 1]};
}

MatrixResults slic32(Accumulators &a, const Weights &weights, std::uint32_t x,
                     const MatrixControl &control, unsigned set, const Partials &partials,
                     std::uint32_t &flags) {
  const Chain old = a.working;
  const bool moves = control.phase == 0;
  for (unsigned u = 0; u < control.units(); ++u) {
    const unsigned unit = kUnitsPerSet * set + u;
    const float term = product(weights.words(2 * control.group + control.phase)[unit], x, flags);
    const float base = moves ? behind(old, set, u, control.units(), partials.data()) : old[unit];
    a.working[unit] = accumulated(base, term);
  }
  return {old[kUnitsPerSet * set], old[kUnitsPerSet * set + 1]};
}

} // namespace copse::ipud::fp
