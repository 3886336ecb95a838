#include "isa/registers.hpp"

#include <charconv>

namespace copse::isa {
namespace {

constexpr struct {
  std::string_view text;
  RegisterName name;
} kNames[] = {
    {"bp", {false, 8, 1}},
    {"fp", {false, 9, 1}},
    {"lr", {false, kLinkRegister, 1}},
    {"sp", {false, kStackPointer, 1}},
    {"mworker_base", {false, kWorkerBase, 1}},
    {"mvertex_base", {false, kVertexBase, 1}},
    {"mzero", {false, kMainZero, 1}},
    {"azero", {true, kAuxZero, 1}},
    {"azeros", {true, kAuxZeroPair, 2}},
};

/// Parses a decimal number without sign or leading zeros at the front of \p text, and removes it.
std::optional<unsigned> takeNumber(std::string_view &text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} || (length > 1 && text.front() == '0'))
    return std::nullopt;
  text.remove_prefix(length);
  return value;
}

constexpr unsigned kRegisters = 16;

/// Parses a numbered group, such as "p2" or "q1".
std::optional<RegisterName> numberedGroup(bool isAux, std::string_view text) {
  const unsigned count = text.front() == 'p' ? 2 : 4;
  text.remove_prefix(1);
  const auto number = takeNumber(text);
  if (!number || !text.empty() || *number >= kRegisters)
    return std::nullopt;
  // Numbers beyond the last group mean the read-only group at the end of the register file.
  const unsigned first = std::min(*number * count, kRegisters - count);
  return RegisterName{isAux, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(count)};
}

std::optional<RegisterName> spanned(bool isAux, unsigned first, unsigned last) {
  if (last <= first || last >= kRegisters)
    return std::nullopt;
  const unsigned count = last - first + 1;
  const bool isAligned =
      count == 3 ? first % 4 == 1 : (count == 2 || count == 4) && first % count == 0;
  if (!isAligned || (count == 3 && !isAux))
    return std::nullopt;
  return RegisterName{isAux, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(count)};
}

} // namespace

std::optional<RegisterName> registerNamed(std::string_view text) {
  if (text.size() < 2)
    return std::nullopt;
  const bool isAux = text.front() == 'a';
  if ((isAux || text.front() == 'm') && (text[1] == 'p' || text[1] == 'q'))
    return numberedGroup(isAux, text.substr(1));
  if (isAux || text.front() == 'm') {
    std::string_view rest = text.substr(1);
    if (const auto first = takeNumber(rest); first && *first < kRegisters) {
      if (rest.empty())
        return RegisterName{isAux, static_cast<std::uint8_t>(*first), 1};
      if (rest.front() != ':')
        return std::nullopt;
      rest.remove_prefix(1);
      const auto last = takeNumber(rest);
      return last && rest.empty() ? spanned(isAux, *first, *last) : std::nullopt;
    }
  }
  for (const auto &n : kNames)
    if (n.text == text)
      return n.name;
  return std::nullopt;
}

std::string textOf(RegisterName name) {
  for (const auto &n : kNames)
    if (n.name == name && name.first >= kWorkerBase)
      return "$" + std::string(n.text);
  const std::string one = (name.isAux ? "$a" : "$m") + std::to_string(name.first);
  return name.count == 1 ? one : one + ":" + std::to_string(name.first + name.count - 1);
}

} // namespace copse::isa
