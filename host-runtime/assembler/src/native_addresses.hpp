#pragma once

#include "assembler/linker.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace copse::assembler {

/// Assigns addresses to the native functions that tile code refers to: one word each, in the order
/// in which the linker meets them.
class NativeAddresses {
public:
  /// \param names  names of all native functions; must stay valid
  NativeAddresses(std::span<const std::string> names, const CodeRange &range)
      : names_(names), range_(range) {}

  /// \param native  index into the names
  /// \throws LinkError if no address is left
  std::uint32_t addressOf(std::uint32_t native);
  std::vector<LinkedNative> take() { return std::move(given_); }

private:
  std::span<const std::string> names_;
  const CodeRange range_;
  std::unordered_map<std::uint32_t, std::uint32_t> addresses_; ///< by index of the name
  std::vector<LinkedNative> given_;
};

} // namespace copse::assembler
