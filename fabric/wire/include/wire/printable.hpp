#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace copse::wire {

/// Longest name that people are shown in full [bytes].
inline constexpr std::size_t kLongestPrintedName = 256;

/// Returns a name that another program or a user has chosen as it may be shown on a terminal and in
/// a line of a log. Control characters, bytes that are not UTF-8, and characters that turn, hide or
/// break the text around them become `\x1b` or `\u202e`. A result of more than kLongestPrintedName
/// bytes is cut and ends in `...`. Applying the function to its own result changes nothing.
std::string printableName(std::string_view name);

/// Escapes a whole text, such as the message of an error: ends of lines stay, and nothing is
/// cut.
std::string printableText(std::string_view text);

/// Escapes one line of a log: ends of lines are escaped, so that no name can begin a line.
std::string printableLine(std::string_view line);

} // namespace copse::wire
