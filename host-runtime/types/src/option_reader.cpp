#include "types/option_reader.hpp"

#include "poplar/exceptions.hpp"
#include "types/nearest_name.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <optional>

namespace copse::types {
namespace {

std::optional<std::uint64_t> asInteger(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal)
    text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<double> asNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
      value < 0)
    return std::nullopt;
  return value;
}

std::optional<bool> asBoolean(std::string_view text) {
  if (text == "true")
    return true;
  if (text == "false")
    return false;
  return std::nullopt;
}

/// Returns the entry of \p words that equals \p text, ignoring case.
std::optional<std::string_view> asWord(std::string_view text, std::string_view words) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find('|'));
    if (word.size() == text.size() && editDistance(word, text) == 0)
      return word;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return std::nullopt;
}

std::string listOf(std::string_view words) {
  std::string list(words);
  for (std::size_t at = list.find('|'); at != std::string::npos; at = list.find('|', at))
    list.replace(at, 1, ", ");
  return list;
}

bool fits(const OptionSpec &spec, std::string_view value) {
  switch (spec.kind) {
  case OptionKind::Boolean:
    return asBoolean(value).has_value();
  case OptionKind::Integer:
    return asInteger(value).has_value();
  case OptionKind::Number:
    return asNumber(value).has_value();
  case OptionKind::Word:
    return asWord(value, spec.words).has_value();
  case OptionKind::IntegerOrWord:
    return asInteger(value).has_value() || asWord(value, spec.words).has_value();
  case OptionKind::Text:
    return true;
  }
  return false;
}

std::string expected(const OptionSpec &spec) {
  switch (spec.kind) {
  case OptionKind::Boolean:
    return "true or false";
  case OptionKind::Integer:
    return "an integer that is not negative";
  case OptionKind::Number:
    return "a number that is not negative";
  case OptionKind::Word:
    return "one of " + listOf(spec.words);
  case OptionKind::IntegerOrWord:
    return "an integer that is not negative, or one of " + listOf(spec.words);
  case OptionKind::Text:
    break;
  }
  return "text";
}

const OptionSpec *find(std::span<const OptionSpec> table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const OptionSpec &s) { return s.name == name; });
  return found == table.end() ? nullptr : &*found;
}

[[noreturn]] void throwUnknown(const std::string &what, std::span<const OptionSpec> table,
                               const std::string &name, const std::string &value) {
  std::vector<std::string_view> names;
  names.reserve(table.size());
  for (const OptionSpec &spec : table)
    names.push_back(spec.name);
  // Tests of frameworks expect this beginning and end of the text.
  throw poplar::invalid_option("Unrecognised option (" + what + ", value '" + value + "'" +
                               suggestion(name, names) + "): Unrecognised option '" + name + "'");
}

} // namespace

OptionReader::OptionReader(std::string_view what, std::span<const OptionSpec> table,
                           poplar::OptionFlags flags)
    : what_(what), table_(table), flags_(std::move(flags)) {
  for (const auto &[name, value] : flags_) {
    const OptionSpec *spec = find(table_, name);
    if (!spec)
      throwUnknown(what_, table_, name, value);
    if (!fits(*spec, value))
      throw poplar::invalid_option(what_ + " '" + name + "': value '" + value + "' is not " +
                                   expected(*spec));
  }
}

const OptionSpec &OptionReader::spec(std::string_view name) const {
  const OptionSpec *spec = find(table_, name);
  assert(spec && "an option that is read must be in its table");
  return *spec;
}

bool OptionReader::isSet(std::string_view name) const {
  return std::any_of(flags_.begin(), flags_.end(),
                     [&](const auto &flag) { return flag.first == name; });
}

std::string OptionReader::text(std::string_view name) const {
  if (isSet(name))
    return flags_.at(std::string(name));
  return std::string(spec(name).defaultValue);
}

bool OptionReader::boolean(std::string_view name) const {
  return asBoolean(text(name)).value_or(false);
}
std::uint64_t OptionReader::integer(std::string_view name) const {
  return asInteger(text(name)).value_or(0);
}
double OptionReader::number(std::string_view name) const {
  return asNumber(text(name)).value_or(0);
}
std::string_view OptionReader::word(std::string_view name) const {
  return asWord(text(name), spec(name).words).value_or(std::string_view());
}

void OptionReader::reportMissing(const OptionWarning &warning) const {
  std::string list;
  for (const auto &[name, value] : flags_) {
    const OptionSpec &known = spec(name);
    if (known.effect == OptionEffect::Missing && value != known.defaultValue)
      list += (list.empty() ? "'" : ", '") + name + "'";
  }
  if (!list.empty() && warning)
    warning("these have no effect here: " + what_ + " " + list);
}

} // namespace copse::types
