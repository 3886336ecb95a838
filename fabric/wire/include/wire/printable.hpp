#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace copse::wire {

/// The longest name that is printed in full [bytes].
inline constexpr std::size_t kLongestPrintedName = 256;

/// Returns a name from another program or a user in a form that is safe on a terminal and in a log
/// line. Control characters, bytes that are not UTF-8, and characters that turn, hide or break the
/// text around them become `\x1b` or `\u202e`. A result of more than kLongestPrintedName bytes is
/// cut and ends in `...`. Applying the function to its own result changes nothing.
std::string printableName(std::string_view name);

/// Escapes a whole text, such as an error message. Line ends are kept, and nothing is cut.
std::string printableText(std::string_view text);

/// Escapes one line of a log, including line ends, so that no name can start a new line.
std::string printableLine(std::string_view line);

} // namespace copse::wire
