#pragma once

#include "poplar/OptionFlags.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace copse::types {

/// What the values of an option look like.
enum class OptionKind : std::uint8_t {
  Boolean, ///< true, false
  Integer, ///< not negative, decimal or 0x hexadecimal
  Number,  ///< not negative, may have a fraction
  Word,    ///< one of a list, letter case aside
  IntegerOrWord,
  Text ///< anything
};

/// What setting it does here.
enum class OptionEffect : std::uint8_t {
  Used,
  Hint,   ///< nothing that a program could tell from its results: accepted in silence
  Missing ///< nothing yet: accepted with a warning
};

struct OptionSpec {
  std::string_view name;
  OptionKind kind = OptionKind::Text;
  std::string_view defaultValue; ///< empty: none, or it follows from other options
  OptionEffect effect = OptionEffect::Used;
  std::string_view words; ///< of Word and IntegerOrWord, separated by '|'
};

/// Told once for all options that have no effect here.
using OptionWarning = std::function<void(const std::string &)>;

/// Flags checked against a table. The table must outlive it.
class OptionReader {
public:
  /// \param what  for messages: "engine option"
  /// \throws poplar::invalid_option that names option and value, and the nearest known name or the
  /// values there are
  OptionReader(std::string_view what, std::span<const OptionSpec> table, poplar::OptionFlags flags);

  bool isSet(std::string_view name) const;

  // The value that was set, else the default. The option must be in the table, with a kind that
  // fits.
  bool boolean(std::string_view name) const;
  std::uint64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  /// As the table spells it.
  std::string_view word(std::string_view name) const;
  std::string text(std::string_view name) const;

  /// Calls \p warning if an option that has no effect here is set to something else than its
  /// default.
  void reportMissing(const OptionWarning &warning) const;

private:
  const OptionSpec &spec(std::string_view name) const;

  std::string what_;
  std::span<const OptionSpec> table_;
  poplar::OptionFlags flags_;
};

} // namespace copse::types
