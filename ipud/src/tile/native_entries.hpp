#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace copse::ipud {

/// Maps the addresses by which tile code refers to native functions to those functions of an image.
class NativeEntries {
public:
  NativeEntries() = default;
  explicit NativeEntries(const std::vector<wire::CodeletFunction> &functions);

  /// Returns the end of the last address; 0 if there is none.
  std::uint32_t end() const;
  /// \returns an index into Image::functions, or nothing for another address
  std::optional<std::uint32_t> functionAt(std::uint32_t address) const;

private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::vector<std::uint32_t> functions_; ///< for each word from wire::kNativeEntries on; or kNone
};

} // namespace copse::ipud
