#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace copse::types {

/// Insertions, removals, replacements and swaps of neighbours that turn \p a into \p b, letter case
/// aside.
std::size_t editDistance(std::string_view a, std::string_view b);

/// The name that a misspelt \p name most likely stood for; none if nothing is near.
std::optional<std::string_view> nearestName(std::string_view name,
                                            std::span<const std::string_view> known);

/// "; did you mean 'x'?", or nothing.
std::string suggestion(std::string_view name, std::span<const std::string_view> known);

/// Returns suggestion() where a name is near, else "; there are 'a', 'b', 'c'": the first few of
/// them.
std::string suggestionOrList(std::string_view name, std::span<const std::string_view> known);

} // namespace copse::types
