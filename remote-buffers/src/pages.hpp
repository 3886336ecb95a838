#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace copse::remote_buffers {

struct Unmap {
  std::uint64_t length = 0; ///< [bytes]
  void operator()(std::byte *base) const;
};
/// Mapped memory; null: the mapping failed.
using Pages = std::unique_ptr<std::byte, Unmap>;

/// Zeroes that cost address space until they are written.
Pages mapZeroes(std::uint64_t bytes);
/// The first \p bytes of a file, to be read.
Pages mapFile(int descriptor, std::uint64_t bytes);

} // namespace copse::remote_buffers
