#include "types/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace copse::types {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

} // namespace

std::size_t editDistance(std::string_view a, std::string_view b) {
  // Optimal string alignment: rows i-2, i-1 and i of the table of distances between prefixes.
  std::vector<std::size_t> older(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] =
          std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped)
        current[j] = std::min(current[j], older[j - 2] + 1);
    }
    older.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

std::optional<std::string_view> nearestName(std::string_view name,
                                            std::span<const std::string_view> known) {
  std::optional<std::string_view> nearest;
  std::size_t least = name.size() / 3 + 2; // beyond this distance, it is a different word
  for (const std::string_view candidate : known) {
    const std::size_t distance = editDistance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> known) {
  const auto nearest = nearestName(name, known);
  return nearest ? "; did you mean '" + std::string(*nearest) + "'?" : std::string();
}

std::string suggestionOrList(std::string_view name, std::span<const std::string_view> known) {
  constexpr std::size_t kMost = 8;
  std::string text = suggestion(name, known);
  if (!text.empty() || known.empty())
    return text;
  text = known.size() == 1 ? "; there is only '" : "; there are '";
  for (std::size_t i = 0; i < std::min(known.size(), kMost); ++i)
    text += (i == 0 ? "" : "', '") + std::string(known[i]);
  return text + "'" +
         (known.size() > kMost ? " and " + std::to_string(known.size() - kMost) + " more" : "");
}

} // namespace copse::types
