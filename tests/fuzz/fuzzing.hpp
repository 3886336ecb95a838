#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

/// What fuzz targets share.
namespace copse::fuzz {

inline std::span<const std::byte> bytesOf(const std::uint8_t *data, std::size_t size) {
  return {reinterpret_cast<const std::byte *>(data), size};
}
inline std::string_view textOf(const std::uint8_t *data, std::size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Ends the program, so that the input is kept, unless \p holds.
inline void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "fuzz: it does not hold that %s\n", what);
  std::abort();
}

} // namespace copse::fuzz
