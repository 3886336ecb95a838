#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace copse::types {

/// Returns the number of insertions, removals, replacements and swaps of neighbours that turn \p a
/// into \p b, ignoring case.
std::size_t editDistance(std::string_view a, std::string_view b);

/// Returns the name that a misspelt \p name most likely means; nothing if none is similar.
std::optional<std::string_view> nearestName(std::string_view name,
                                            std::span<const std::string_view> known);

/// Returns "; did you mean 'x'?", or an empty text.
std::string suggestion(std::string_view name, std::span<const std::string_view> known);

/// Returns suggestion() if a name is similar, else "; there are 'a', 'b', 'c'" with the first few
/// names.
std::string suggestionOrList(std::string_view name, std::span<const std::string_view> known);

} // namespace copse::types
