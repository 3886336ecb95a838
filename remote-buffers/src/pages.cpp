#include "pages.hpp"

#include <algorithm>
#include <sys/mman.h>

namespace copse::remote_buffers {
namespace {

Pages map(std::uint64_t bytes, int protection, int flags, int descriptor) {
  const std::uint64_t length = std::max<std::uint64_t>(bytes, 1);
  void *base = ::mmap(nullptr, length, protection, flags, descriptor, 0);
  return {base == MAP_FAILED ? nullptr : static_cast<std::byte *>(base), Unmap{length}};
}

} // namespace

void Unmap::operator()(std::byte *base) const { ::munmap(base, length); }

Pages mapZeroes(std::uint64_t bytes) {
  // Do not reserve memory: most programs use only a part of the rows that they declare, and the
  // kernel allocates pages when they are written.
  return map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

Pages mapFile(int descriptor, std::uint64_t bytes) {
  return map(bytes, PROT_READ, MAP_SHARED, descriptor);
}

} // namespace copse::remote_buffers
