#pragma once

#include "processor/f8.hpp"

#include <array>
#include <cstdint>

namespace copse::ipud {

/// What halves or codes of FP8 are read as.
enum class WeightFormat : std::uint8_t { None, Half, Quarter152, Quarter143 };

constexpr WeightFormat formatOf(fp::QuarterFormat format) {
  return format == fp::QuarterFormat::F152 ? WeightFormat::Quarter152 : WeightFormat::Quarter143;
}

/// The weights of a tile's AMP units, $CWEI_m_n: written by the supervisor, read by all workers.
/// They are kept as words and, for speed, as numbers, which are made again when they are next used
/// after a write or in another format.
///
/// Thread: that of the tile.
class Weights {
public:
  static constexpr unsigned kUnits = 16, kGroups = 4, kInputs = 8;
  static constexpr unsigned kPhases = 2 * kGroups; ///< of f32: lower and upper word of each group

  /// A group in one format, in `values`. Shape: [input][unit]; halves have four inputs.
  struct Numbers {
    static constexpr int kNone = -1024;
    /// By how much the exponents of two inputs that are no zeros may differ so that a double holds
    /// every sum of products exactly; kNone if some weight is no number.
    int spread = kNone;
    WeightFormat format = WeightFormat::None; ///< None: to be made again
  };
  using Values = float[kInputs][kUnits];

  /// \param index  4 * unit + group
  void set(unsigned index, std::uint64_t bits);
  void clear() { *this = {}; }

  std::uint64_t bits(unsigned unit, unsigned group) const {
    return std::uint64_t{words_[2 * group + 1][unit]} << 32 | words_[2 * group][unit];
  }

  const Numbers &numbers(unsigned group) const { return numbers_[group]; }
  const Values &values(unsigned group) const { return values_[group]; }
  /// Makes the numbers of \p group in \p format, if they are not.
  void prepare(unsigned group, WeightFormat format) {
    if (numbers_[group].format != format)
      convert(group, format);
  }

  /// Prepares \p group for halves.
  /// \returns whether all weights are numbers
  bool preparesHalves(unsigned group) {
    prepare(group, WeightFormat::Half);
    return numbers_[group].spread >= 0;
  }
  /// Twice the pattern, in all lanes, of the largest half such that inputs up to it need no other
  /// test: doubles hold every sum of their products exactly. For groups that are prepared.
  const std::array<std::uint16_t, 8> &largestHalves(unsigned group) const {
    return largestHalves_[group];
  }

  /// The f32 weights of all units in \p phase.
  const std::uint32_t *words(unsigned phase) const { return words_[phase].data(); }
  /// Whether all products of pattern \p x with weights of \p phase are at least the smallest normal
  /// number.
  /// \returns false, too, where that has not been looked into: see multipliesPlainly().
  bool multipliesToNormals(unsigned phase, std::uint32_t x) const {
    const Range &range = ranges_[phase];
    return 2 * x - range.least <= range.span;
  }
  /// Whether none of these products is a NaN, or rounds to less than the smallest normal number
  /// without being zero.
  bool multipliesPlainly(unsigned phase, std::uint32_t x);

  /// Looks into the weights of \p phase.
  /// \returns whether all are finite
  bool preparesSingles(unsigned phase) {
    if (!ranges_[phase].isCurrent)
      measure(phase);
    return ranges_[phase].isFinite;
  }
  /// Twice the pattern of the least input of which no product is less than the smallest normal
  /// number, without being zero. For phases that are prepared.
  const std::uint32_t &leastSingle(unsigned phase) const { return ranges_[phase].least; }

private:
  /// Twice the patterns of f32 inputs that need no care: from `least`, `span` of them.
  struct Range {
    std::uint32_t least = 1, span = 0; ///< at first none
    bool isCurrent = false, isFinite = false;
  };

  void convert(unsigned group, WeightFormat format);
  void measure(unsigned phase);

  alignas(16) std::array<std::array<std::uint32_t, kUnits>, kPhases> words_{};
  std::array<Range, kPhases> ranges_{};
  std::array<Numbers, kGroups> numbers_{};
  alignas(16) std::array<std::array<std::uint16_t, 8>, kGroups> largestHalves_{};
  alignas(16) Values values_[kGroups]{};
};

} // namespace copse::ipud
