#pragma once

#include "isa/accumulators.hpp"

namespace copse::ipud {

/// The weights of a tile's AMP units, $CWEI_m_n: written by the supervisor, read by all workers.
/// Kept as they are and, for speed, as numbers.
class Weights {
public:
  static constexpr unsigned kUnits = 16, kGroups = 4, kInputs = 4;

  /// \param index  4 * unit + group
  void set(unsigned index, std::uint64_t bits);
  void clear() { *this = {}; }
  std::uint64_t bits(unsigned unit, unsigned group) const { return raw_[4 * unit + group]; }
  /// The halves of a group as numbers: element [input][unit]. Meaningless for those that are none,
  /// see plain().
  const double (&numbers(unsigned group) const)[kInputs][kUnits] { return numbers_[group]; }
  /// Whether sums of products of the group's halves with halves of exponents \p least to
  /// \p greatest fit a double, exactly.
  bool sumsExactly(unsigned group, unsigned least, unsigned greatest) const;

private:
  void widen(unsigned group, std::uint16_t half);

  std::array<std::uint64_t, kUnits * kGroups> raw_{};
  double numbers_[kGroups][kInputs][kUnits]{};
  /// Exponent fields of the halves of a group: bounds over all that were ever set. Denormals count
  /// as 1, zeros do not; 31 means that one is a NaN or an infinity.
  std::array<std::uint8_t, kGroups> least_{31, 31, 31, 31}, greatest_{};
};

namespace fp {

/// What the immediate of an AMP or SLIC instruction says. Its layout is our own:
/// poplar/TileConstants.hpp has the constants for assembly.
struct MatrixControl {
  unsigned engines; ///< that work, of each set, less one
  unsigned phase;
  unsigned group; ///< of the weights, for SLIC
  static MatrixControl amp(std::uint32_t immediate) { return {immediate >> 4, immediate & 7, 0}; }
  static MatrixControl slic(std::uint32_t immediate) {
    return {immediate >> 4, immediate & 1, immediate >> 2 & 3};
  }
};

/// What the dot product of each unit is computed from.
struct MatrixInput {
  enum class Kind : std::uint8_t { Half, Single, Quarter } kind = Kind::Half;
  std::uint64_t x = 0;      ///< four halves, one f32 or eight codes
  std::uint32_t format = 0; ///< $FP_NFMT
  int scale = 0;            ///< $FP_SCL
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

} // namespace fp
} // namespace copse::ipud
