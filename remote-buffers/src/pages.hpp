#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace copse::remote_buffers {

struct Unmap {
  std::uint64_t length = 0; ///< [bytes]
  void operator()(std::byte *base) const;
};
/// Mapped memory; null if the mapping failed.
using Pages = std::unique_ptr<std::byte, Unmap>;

/// Maps zeroed pages, which use only address space until they are written.
Pages mapZeroes(std::uint64_t bytes);
/// Maps the first \p bytes of a file read-only.
Pages mapFile(int descriptor, std::uint64_t bytes);

} // namespace copse::remote_buffers
