#include "tile/native_entries.hpp"

#include "wire/codelet_abi.hpp"

namespace copse::ipud {

NativeEntries::NativeEntries(const std::vector<wire::CodeletFunction> &functions) {
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    if (wire::isTileCode(functions[f].kind) || functions[f].entry == 0)
      continue;
    const std::uint32_t word = (functions[f].entry - wire::kNativeEntries) / wire::kWordBytes;
    if (word >= functions_.size())
      functions_.resize(word + 1, kNone);
    functions_[word] = f;
  }
}

std::uint32_t NativeEntries::end() const {
  return functions_.empty() ? 0
                            : wire::kNativeEntries +
                                  wire::kWordBytes * static_cast<std::uint32_t>(functions_.size());
}

std::optional<std::uint32_t> NativeEntries::functionAt(std::uint32_t address) const {
  const std::uint32_t word = (address - wire::kNativeEntries) / wire::kWordBytes;
  if (address < wire::kNativeEntries || address % wire::kWordBytes != 0 ||
      word >= functions_.size() || functions_[word] == kNone)
    return std::nullopt;
  return functions_[word];
}

} // namespace copse::ipud
