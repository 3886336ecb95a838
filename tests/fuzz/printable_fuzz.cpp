// Fuzzes names that other programs choose, which are printed on terminals and in logs.
#include "fuzzing.hpp"

#include "wire/printable.hpp"

#include <algorithm>
#include <string>

namespace {

bool hasControls(const std::string &text, std::string_view allowed) {
  return std::any_of(text.begin(), text.end(), [&](char c) {
    return (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) &&
           allowed.find(c) == std::string_view::npos;
  });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace copse;
  const std::string_view bytes = fuzz::textOf(data, size);
  const std::string name = wire::printableName(bytes), line = wire::printableLine(bytes),
                    text = wire::printableText(bytes);
  fuzz::require(name.size() <= wire::kLongestPrintedName, "a long name is cut");
  fuzz::require(!hasControls(name, "") && !hasControls(line, "\t") && !hasControls(text, "\t\n"),
                "no control character is left");
  fuzz::require(wire::printableName(name) == name && wire::printableLine(line) == line &&
                    wire::printableText(text) == text,
                "what was made printable stays as it is");
  return 0;
}
