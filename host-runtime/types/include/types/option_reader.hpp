#pragma once

#include "poplar/OptionFlags.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace copse::types {

/// The format of an option's values.
enum class OptionKind : std::uint8_t {
  Boolean, ///< true, false
  Integer, ///< non-negative, decimal or 0x hexadecimal
  Number,  ///< non-negative, may have a fraction
  Word,    ///< one of a list, ignoring case
  IntegerOrWord,
  Text ///< any text
};

/// The effect of setting an option.
enum class OptionEffect : std::uint8_t {
  Used,
  Hint,   ///< not observable in results: accepted silently
  Missing ///< has no effect: accepted with a warning
};

/// An option that Copse knows: its values, default and effect. `copse options` prints it.
struct OptionSpec {
  std::string_view name;
  OptionKind kind = OptionKind::Text;
  std::string_view defaultValue; ///< empty: none, or it depends on other options
  OptionEffect effect = OptionEffect::Used;
  std::string_view words; ///< for Word and IntegerOrWord, separated by '|'
};

/// Receives one warning about all options without effect.
using OptionWarning = std::function<void(const std::string &)>;

/// Checks flags against a table, which must outlive the reader.
class OptionReader {
public:
  /// \param what  kind of option for messages, for example "engine option"
  /// \throws poplar::invalid_option naming option and value, and the nearest known name or the
  ///   allowed values
  OptionReader(std::string_view what, std::span<const OptionSpec> table, poplar::OptionFlags flags);

  bool isSet(std::string_view name) const;

  // Return the value that was set, else the default. The option must be in the table, with a
  // matching kind.
  bool boolean(std::string_view name) const;
  std::uint64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  /// Returns the word in the spelling of the table.
  std::string_view word(std::string_view name) const;
  std::string text(std::string_view name) const;

  /// Calls \p warning if an option without effect is set to something other than its default.
  void reportMissing(const OptionWarning &warning) const;

private:
  const OptionSpec &spec(std::string_view name) const;

  std::string what_;
  std::span<const OptionSpec> table_;
  poplar::OptionFlags flags_;
};

} // namespace copse::types
