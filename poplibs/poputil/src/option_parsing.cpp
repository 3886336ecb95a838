#include "poputil/OptionParsing.hpp"

#include <algorithm>

namespace poplibs {
namespace {

char inLowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns how many letters are to be put in, left out or changed, so that \p a becomes \p b.
std::size_t lettersBetween(const std::string &a, const std::string &b) {
  std::vector<std::size_t> row(b.size() + 1); // distances between prefixes
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const bool same = inLowerCase(a[i]) == inLowerCase(b[j]);
      const std::size_t changed = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row[b.size()];
}

} // namespace

std::string OptionSpec::describeUnknown(const std::string &option) const {
  std::string all;
  const std::string *nearest = nullptr;
  std::size_t least = option.size() / 3 + 2; // further away, it is another word
  for (const auto &known : handlers_) {
    all += (all.empty() ? "" : ", ") + known.first;
    const std::size_t distance = lettersBetween(option, known.first);
    if (distance < least) {
      least = distance;
      nearest = &known.first;
    }
  }
  return prefix() + "Unrecognised option '" + option + "'" +
         (nearest != nullptr ? "; did you mean '" + *nearest + "'?" : ".") +
         (all.empty() ? " There are no options" : " The options are " + all);
}

} // namespace poplibs
