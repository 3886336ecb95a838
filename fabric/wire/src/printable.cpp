#include "wire/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace copse::wire {
namespace {

/// A Unicode character and the number of bytes of its UTF-8 encoding.
struct Character {
  std::uint32_t number;
  std::size_t bytes;
};

/// Decodes the first character of \p text, which must not be empty.
/// \returns nothing if the bytes are not valid UTF-8
std::optional<Character> characterAt(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80)
    return Character{byte(0), 1};
  const std::size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes)
    return std::nullopt;
  std::uint32_t number = byte(0) & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return std::nullopt;
    number = number << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<std::uint32_t, 5> kFirst{0, 0, 0x80, 0x800, 0x10000}; // by bytes
  const bool isSurrogate = number >= 0xD800 && number < 0xE000;
  if (number < kFirst[bytes] || isSurrogate || number > 0x10FFFF)
    return std::nullopt;
  return Character{number, bytes};
}

/// Returns true if a character is visible and does not affect the text around it.
/// Source: Unicode, categories Cc, Cf, Zl and Zp, as far as terminals and editors act on them.
bool isPlain(std::uint32_t character) {
  struct Range {
    std::uint32_t first, last;
  };
  constexpr std::array<Range, 10> kOthers{{{0, 0x1F},
                                           {0x7F, 0x9F},
                                           {0xAD, 0xAD},
                                           {0x61C, 0x61C},
                                           {0x200B, 0x200F},
                                           {0x2028, 0x202E},
                                           {0x2060, 0x206F},
                                           {0xFEFF, 0xFEFF},
                                           {0xFFF9, 0xFFFB},
                                           {0xE0000, 0xE007F}}};
  return std::none_of(kOthers.begin(), kOthers.end(), [&](const Range &range) {
    return character >= range.first && character <= range.last;
  });
}

/// Returns a backslash, \p kind, and the number in \p digits hexadecimal digits. Long hostile texts
/// consist of such characters only, for which snprintf() is too slow.
std::string escaped(char kind, unsigned digits, std::uint32_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text{'\\', kind};
  while (digits-- > 0)
    text += kDigits[number >> (4 * digits) & 0xF];
  return text;
}

/// Returns the printed form of a character.
/// \param bytes  one character, or one byte that is not valid UTF-8
std::string shown(std::string_view bytes, const std::optional<Character> &character) {
  if (character && isPlain(character->number))
    return std::string(bytes);
  if (bytes.size() == 1)
    return escaped('x', 2, static_cast<unsigned char>(bytes[0]));
  return character->number > 0xFFFF ? escaped('U', 8, character->number)
                                    : escaped('u', 4, character->number);
}

/// \param kept  control characters that are not escaped
/// \param most  longest result [bytes]
std::string printable(std::string_view text, std::string_view kept, std::size_t most) {
  constexpr std::string_view kMore = "...";
  std::string result;
  std::size_t cut = 0; ///< end of the result if kMore is appended
  while (!text.empty() && result.size() <= most) {
    const auto character = characterAt(text);
    const std::string_view bytes = text.substr(0, character ? character->bytes : 1);
    const bool isKept = bytes.size() == 1 && kept.find(bytes[0]) != std::string_view::npos;
    result += isKept ? std::string(bytes) : shown(bytes, character);
    if (result.size() <= most - kMore.size())
      cut = result.size();
    text.remove_prefix(bytes.size());
  }
  return result.size() <= most ? result : result.substr(0, cut).append(kMore);
}

constexpr std::size_t kAll = ~std::size_t{0};

} // namespace

std::string printableName(std::string_view name) {
  return printable(name, "", kLongestPrintedName);
}

std::string printableText(std::string_view text) { return printable(text, "\n\t", kAll); }

std::string printableLine(std::string_view line) { return printable(line, "\t", kAll); }

} // namespace copse::wire
