#include "wire/ipu_names.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace copse::wire {
namespace {

constexpr std::string_view kIpu = "ipu ";

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Returns the digits after the next "ipu " in \p text, and removes everything up to their end from
/// \p text. Returns an empty view at the end of the text.
std::string_view nextNumber(std::string_view &text) {
  for (;;) {
    const auto at = text.find(kIpu);
    if (at == text.npos)
      return {};
    text.remove_prefix(at + kIpu.size());
    const auto end = std::find_if_not(text.begin(), text.end(), isDigit);
    const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    if (!digits.empty())
      return digits;
  }
}

} // namespace

std::string nameOf(IpuId ipu) { return std::string(kIpu) + std::to_string(ipu.value); }

bool namesAnIpu(std::string_view text) { return !nextNumber(text).empty(); }

bool namesIpu(std::string_view text, IpuId ipu) {
  const std::string wanted = std::to_string(ipu.value);
  for (;;) {
    const auto number = nextNumber(text);
    if (number.empty() || number == wanted)
      return !number.empty();
  }
}

} // namespace copse::wire
