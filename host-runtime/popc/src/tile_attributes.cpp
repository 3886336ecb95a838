#include "tile_attributes.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace copse::popc {
namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Returns the place of \p word if only blanks separate it from \p end.
std::optional<std::size_t> wordBefore(const std::string &text, std::size_t end,
                                      std::string_view word) {
  while (end > 0 && isBlank(text[end - 1]))
    --end;
  if (end < word.size() || std::string_view(text).substr(end - word.size(), word.size()) != word)
    return std::nullopt;
  return end - word.size();
}

/// Returns the beginning of the `target(` or `gnu::target(` whose argument is at \p argument.
std::optional<std::size_t> targetBefore(const std::string &text, std::size_t argument) {
  const auto open = wordBefore(text, argument, "(");
  if (!open)
    return std::nullopt;
  auto target = wordBefore(text, *open, "__target__");
  if (!target)
    target = wordBefore(text, *open, "target");
  if (!target)
    return std::nullopt;
  for (const std::string_view scope : {"gnu::", "clang::"})
    if (const auto scoped = wordBefore(text, *target, scope))
      return scoped;
  return target;
}

} // namespace

std::string withoutTileAttributes(std::string text) {
  for (const std::string attribute : {"\"supervisor\"", "\"worker\""})
    for (std::size_t at = text.find(attribute); at != std::string::npos;
         at = text.find(attribute, at + attribute.size())) {
      const auto begin = targetBefore(text, at);
      const std::size_t close = text.find(')', at);
      if (!begin || close == std::string::npos)
        continue;
      std::replace_if(
          text.begin() + static_cast<std::ptrdiff_t>(*begin),
          text.begin() + static_cast<std::ptrdiff_t>(close + 1), [](char c) { return c != '\n'; },
          ' ');
    }
  return text;
}

} // namespace copse::popc
