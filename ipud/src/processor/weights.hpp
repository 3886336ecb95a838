#pragma once

#include "processor/f8.hpp"

#include <array>
#include <cstdint>

namespace copse::ipud {

/// The number format as which weights are read.
enum class WeightFormat : std::uint8_t { None, Half, Quarter152, Quarter143 };

constexpr WeightFormat formatOf(fp::QuarterFormat format) {
  return format == fp::QuarterFormat::F152 ? WeightFormat::Quarter152 : WeightFormat::Quarter143;
}

/// The weights of a tile's AMP units, $CWEI_m_n. The supervisor writes them, all workers read them.
/// The weights are stored as words and, for speed, as numbers, which are converted again at the
/// next use after a write or in another format.
///
/// Thread: the thread of the tile.
class Weights {
public:
  static constexpr unsigned kUnits = 16, kGroups = 4, kInputs = 8;
  static constexpr unsigned kPhases =
      2 * kGroups; ///< phases of f32: lower and upper word of each group

  /// A group in one format, in `values`. Shape: [input][unit]; halves have four inputs.
  struct Numbers {
    static constexpr int kNone = -1024;
    /// The largest difference between the exponents of two nonzero inputs for which a double holds
    /// every sum of products exactly; kNone if a weight is not a number.
    int spread = kNone;
    WeightFormat format = WeightFormat::None; ///< None: must be converted
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
  /// Converts \p group to \p format unless that is current.
  void prepare(unsigned group, WeightFormat format) {
    if (numbers_[group].format != format)
      convert(group, format);
  }

  /// Prepares \p group for half inputs.
  /// \returns true if all weights are numbers
  bool preparesHalves(unsigned group) {
    prepare(group, WeightFormat::Half);
    return numbers_[group].spread >= 0;
  }
  /// Returns twice the pattern, in all lanes, of the largest half such that smaller inputs need no
  /// other test: doubles hold every sum of their products exactly. The group must be prepared.
  const std::array<std::uint16_t, 8> &largestHalves(unsigned group) const {
    return largestHalves_[group];
  }

  /// Returns the f32 weights of all units in \p phase.
  const std::uint32_t *words(unsigned phase) const { return words_[phase].data(); }
  /// Returns true if all products of pattern \p x with weights of \p phase are at least the
  /// smallest normal number.
  /// \returns false also if that is not known yet: see multipliesPlainly()
  bool multipliesToNormals(unsigned phase, std::uint32_t x) const {
    const Range &range = ranges_[phase];
    return 2 * x - range.least <= range.span;
  }
  /// Returns true if no product of \p x with weights of \p phase is a NaN, or is nonzero and rounds
  /// to less than the smallest normal number.
  bool multipliesPlainly(unsigned phase, std::uint32_t x);

  /// Analyses the weights of \p phase.
  /// \returns true if all are finite
  bool preparesSingles(unsigned phase) {
    if (!ranges_[phase].isCurrent)
      measure(phase);
    return ranges_[phase].isFinite;
  }
  /// Returns twice the pattern of the least input that has no nonzero product below the smallest
  /// normal number. The phase must be prepared.
  const std::uint32_t &leastSingle(unsigned phase) const { return ranges_[phase].least; }

private:
  /// Twice the patterns of f32 inputs that need no care: `span` of them from `least` on.
  struct Range {
    std::uint32_t least = 1, span = 0; ///< initially none
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
