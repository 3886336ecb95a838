#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Small readers of LLVM's text.
namespace copse::popc {

/// Returns the place of the first comma in \p text that is not in brackets, or its length.
std::size_t commaIn(std::string_view text);

/// Splits \p text at the commas outside brackets and trims the parts. Returns nothing for a blank
/// text.
std::vector<std::string_view> listIn(std::string_view text);

/// Returns the length of the type at the front of \p text: "<2 x float> %1", "{ i32, ptr } asm".
std::size_t typeEndIn(std::string_view text);

/// Returns the name of a value ("%7") or of a global ("@f", "@\"a b\"") at the front of \p text,
/// with its sign.
std::string_view nameAt(std::string_view text);
bool isPartOfName(char c);
/// Returns true if \p word stands in \p line as a word, not as part of a name.
bool hasWord(std::string_view line, std::string_view word);

std::vector<std::string_view> linesOf(std::string_view text);

/// Returns the characters that an escaped string such as "a\0Ab" stands for.
/// \param escaped  without its quotes
std::string unescaped(std::string_view escaped);
/// Escapes any bytes as LLVM's text does.
std::string escaped(std::string_view bytes);

} // namespace copse::popc
