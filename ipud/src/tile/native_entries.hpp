#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace copse::ipud {

/// Which native function of an image stands at which address that tile code goes to.
class NativeEntries {
public:
  NativeEntries() = default;
  explicit NativeEntries(const std::vector<wire::CodeletFunction> &functions);

  std::uint32_t end() const; ///< behind the last one; 0 if there is none
  /// \returns an index into Image::functions, or nothing for another address
  std::optional<std::uint32_t> functionAt(std::uint32_t address) const;

private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::vector<std::uint32_t> functions_; ///< of each word from wire::kNativeEntries on, or kNone
};

} // namespace copse::ipud
