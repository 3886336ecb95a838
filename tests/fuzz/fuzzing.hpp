#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

/// Functions for all fuzz targets.
namespace copse::fuzz {

inline std::span<const std::byte> bytesOf(const std::uint8_t *data, std::size_t size) {
  return {reinterpret_cast<const std::byte *>(data), size};
}
inline std::string_view textOf(const std::uint8_t *data, std::size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Ends the program unless \p holds, so that the fuzzer stores the input.
inline void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "fuzz: it does not hold that %s\n", what);
  std::abort();
}

} // namespace copse::fuzz
