#include "constants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace copse::clock {
namespace {

using nlohmann::json;

/// Returns the line of the entry \p key in the object \p text; 0 if the object lacks the key.
std::size_t lineOf(const std::string &text, const std::string &key) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '[')
      ++depth;
    if (text[at] == '}' || text[at] == ']')
      --depth;
    if (text[at] != '"')
      continue;
    const std::size_t begin = at + 1;
    for (++at; at < text.size() && text[at] != '"'; ++at)
      if (text[at] == '\\')
        ++at;
    const std::size_t next = text.find_first_not_of(" \t\r\n", std::min(at + 1, text.size()));
    if (depth == 1 && next != std::string::npos && text[next] == ':' &&
        text.compare(begin, at - begin, key) == 0)
      return 1 + static_cast<std::size_t>(std::count(
                     text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  return 0;
}

} // namespace

Constants::Constants(const json &file, const std::string &text, std::string what)
    : file_(file), text_(text), what_(std::move(what)) {
  if (!file.is_object())
    throw std::invalid_argument("it is no JSON object");
}

std::string Constants::text(const std::string &key) {
  const json &value = find(key);
  if (!value.is_string())
    refuse(key, "must be a string");
  return value.get<std::string>();
}

void Constants::read(const std::string &key, double &to) {
  to = number(key);
  if (!(to > 0) || !std::isfinite(to))
    refuse(key, "must be greater than 0");
}

void Constants::readZeroOrMore(const std::string &key, double &to) {
  to = number(key);
  if (!(to >= 0) || !std::isfinite(to))
    refuse(key, "must be 0 or more");
}

void Constants::read(const std::string &key, std::uint32_t &to) {
  const double value = number(key);
  if (!(value >= 0) || value > std::numeric_limits<std::uint32_t>::max() ||
      value != std::floor(value))
    refuse(key, "must be a whole number, 0 or more");
  to = static_cast<std::uint32_t>(value);
}

void Constants::readAtLeastOne(const std::string &key, std::uint32_t &to) {
  read(key, to);
  if (to == 0)
    refuse(key, "must be greater than 0");
}

void Constants::refuseTheRest() const {
  for (const auto &entry : file_.items())
    if (!known_.contains(entry.key()))
      refuse(entry.key(), "is no " + what_);
}

void Constants::refuse(const std::string &key, const std::string &why) const {
  const std::size_t line = lineOf(text_, key);
  throw std::invalid_argument((line > 0 ? "line " + std::to_string(line) + ": " : "") + "'" + key +
                              "' " + why);
}

const json &Constants::find(const std::string &key) {
  known_.insert(key);
  const auto found = file_.find(key);
  if (found == file_.end())
    refuse(key, "is missing");
  return *found;
}

double Constants::number(const std::string &key) {
  const json &entry = find(key);
  if (!entry.is_object())
    refuse(key, "must be an object of value, unit and source");
  for (const auto &part : entry.items())
    if (part.key() != "value" && part.key() != "unit" && part.key() != "source")
      refuse(key, "has an unknown part '" + part.key() + "'");
  for (const char *part : {"unit", "source"})
    if (const auto found = entry.find(part); found == entry.end() || !found->is_string())
      refuse(key, std::string("has no ") + part);
  const auto value = entry.find("value");
  if (value == entry.end() || !value->is_number())
    refuse(key, "has no value that is a number");
  return value->get<double>();
}

} // namespace copse::clock
