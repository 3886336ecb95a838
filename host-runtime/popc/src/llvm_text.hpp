#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Small readers of LLVM's text.
namespace copse::popc {

/// The place in \p text of the first comma that is not within brackets, or its length.
std::size_t commaIn(std::string_view text);

/// What stands between the commas, without blanks around it; nothing for a blank text.
std::vector<std::string_view> listIn(std::string_view text);

/// Where the type at the front of \p text ends: "<2 x float> %1", "{ i32, ptr } asm".
std::size_t typeEndIn(std::string_view text);

/// The name of a value ("%7") or of a global ("@f", "@\"a b\"") at the front of \p text, with its
/// sign.
std::string_view nameAt(std::string_view text);
bool isPartOfName(char c);
/// Whether \p word stands in \p line, and is no part of a name.
bool hasWord(std::string_view line, std::string_view word);

std::vector<std::string_view> linesOf(std::string_view text);

/// The characters that "a\0Ab" stands for.
/// \param escaped  without its quotes
std::string unescaped(std::string_view escaped);
/// The reverse, for any bytes.
std::string escaped(std::string_view bytes);

} // namespace copse::popc
