#pragma once

#include "processor/accumulators.hpp"
#include "processor/weights.hpp"
#include "processor/worker_state.hpp"

/// Computes the AMP units of one or two sets of engines one number at a time, for all operands.
/// matrix_vectors.hpp is faster, but only for ordinary numbers.
namespace copse::ipud::fp {

inline constexpr unsigned kUnitsPerSet = 8;

/// The decoded immediate of an AMP or SLIC instruction. The encoding is our own;
/// poplar/TileConstants.hpp has constants for assembly.
struct MatrixControl {
  unsigned engines; ///< number of active engines per set, minus 1
  unsigned phase;
  unsigned group; ///< group of weights, for SLIC
  static MatrixControl amp(std::uint32_t immediate) {
    return {immediate >> 4, immediate & 7, immediate & 3};
  }
  static MatrixControl slic(std::uint32_t immediate) {
    return {immediate >> 4, immediate & 1, immediate >> 2 & 3};
  }
  unsigned units() const { return 2 * (engines + 1); } ///< active units per set
};

/// The input of the dot product of each unit.
struct MatrixInput {
  enum class Kind : std::uint8_t { Half, Quarter } kind = Kind::Half;
  std::uint64_t x = 0;      ///< four halves or eight codes
  std::uint32_t format = 0; ///< $FP_NFMT
  int scale = 0;            ///< $FP_SCL
  QuarterFormat inputFormat() const { return static_cast<QuarterFormat>(format >> 1 & 1); }
  QuarterFormat weightFormat() const { return static_cast<QuarterFormat>(format & 1); }
};

/// The incoming partial sums: element 2 * set + (unit mod 2).
using Partials = std::array<float, 4>;
/// The outgoing results before conversion, in the order of Partials.
using MatrixResults = std::array<float, 4>;

/// Executes one f16v4 or f8v8 AMP on \p sets sets.
MatrixResults amp(Accumulators &a, const Weights &weights, const MatrixInput &input,
                  const MatrixControl &control, unsigned sets, const Partials &partials,
                  std::uint32_t &flags);
/// Executes one f16v4 or f8v8 SLIC.
MatrixResults slic(Accumulators &a, const Weights &weights, const MatrixInput &input,
                   const MatrixControl &control, unsigned sets, const Partials &partials,
                   std::uint32_t &flags);
/// Executes one f32 AMP on set \p set only. The partials of odd phases are not used.
MatrixResults amp32(Accumulators &a, const Weights &weights, std::uint32_t x,
                    const MatrixControl &control, unsigned set, const Partials &partials,
                    std::uint32_t &flags);
/// Executes one f32 SLIC on set \p set only.
MatrixResults slic32(Accumulators &a, const Weights &weights, std::uint32_t x,
                     const MatrixControl &control, unsigned set, const Partials &partials,
                     std::uint32_t &flags);

} // namespace copse::ipud::fp
