#pragma once

#include "assembler/linker.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace copse::assembler {

/// Gives addresses to the native code that tile code names: a word each, in the order in which the
/// linker comes across it.
class NativeAddresses {
public:
  /// \param names  of all native code there is; must live on
  NativeAddresses(std::span<const std::string> names, const CodeRange &range)
      : names_(names), range_(range) {}

  /// \param native  index of the names
  /// \throws LinkError if there are no more addresses
  std::uint32_t addressOf(std::uint32_t native);
  std::vector<LinkedNative> take() { return std::move(given_); }

private:
  std::span<const std::string> names_;
  const CodeRange range_;
  std::unordered_map<std::uint32_t, std::uint32_t> addresses_; ///< by native
  std::vector<LinkedNative> given_;
};

} // namespace copse::assembler
