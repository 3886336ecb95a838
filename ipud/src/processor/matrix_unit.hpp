#pragma once

#include "processor/accumulators.hpp"
#include "processor/weights.hpp"
#include "processor/worker_state.hpp"

/// The AMP units of one or two sets of engines, one number after the other: what they give in all
/// cases. matrix_vectors.hpp has the same at once for ordinary numbers.
namespace copse::ipud::fp {

inline constexpr unsigned kUnitsPerSet = 8;

/// What the immediate of an AMP or SLIC instruction says. Its layout is our own:
/// poplar/TileConstants.hpp has the constants for assembly.
struct MatrixControl {
  unsigned engines; ///< that work, of each set, less one
  unsigned phase;
  unsigned group; ///< of the weights, for SLIC
  static MatrixControl amp(std::uint32_t immediate) {
    return {immediate >> 4, immediate & 7, immediate & 3};
  }
  static MatrixControl slic(std::uint32_t immediate) {
    return {immediate >> 4, immediate & 1, immediate >> 2 & 3};
  }
  unsigned units() const { return 2 * (engines + 1); } ///< that work, of each set
};

/// What the dot product of each unit is computed from.
struct MatrixInput {
  enum class Kind : std::uint8_t { Half, Quarter } kind = Kind::Half;
  std::uint64_t x = 0;      ///< four halves or eight codes
  std::uint32_t format = 0; ///< $FP_NFMT
  int scale = 0;            ///< $FP_SCL
  QuarterFormat inputFormat() const { return static_cast<QuarterFormat>(format >> 1 & 1); }
  QuarterFormat weightFormat() const { return static_cast<QuarterFormat>(format & 1); }
};

/// The partial sums that come in, as numbers: element 2 * set + (unit mod 2).
using Partials = std::array<float, 4>;
/// The results that go out, before they are converted, in the same order.
using MatrixResults = std::array<float, 4>;

/// One call of f16v4 or f8v8 AMP on \p sets sets.
MatrixResults amp(Accumulators &a, const Weights &weights, const MatrixInput &input,
                  const MatrixControl &control, unsigned sets, const Partials &partials,
                  std::uint32_t &flags);
/// One call of f16v4 or f8v8 SLIC.
MatrixResults slic(Accumulators &a, const Weights &weights, const MatrixInput &input,
                   const MatrixControl &control, unsigned sets, const Partials &partials,
                   std::uint32_t &flags);
/// One call of f32 AMP on set \p set alone. The partials of odd phases are not used.
MatrixResults amp32(Accumulators &a, const Weights &weights, std::uint32_t x,
                    const MatrixControl &control, unsigned set, const Partials &partials,
                    std::uint32_t &flags);
/// One call of f32 SLIC on set \p set alone.
MatrixResults slic32(Accumulators &a, const Weights &weights, std::uint32_t x,
                     const MatrixControl &control, unsigned set, const Partials &partials,
                     std::uint32_t &flags);

} // namespace copse::ipud::fp
