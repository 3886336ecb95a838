#include "tile/slot_bytes.hpp"

#include <new>
#include <sys/mman.h>

namespace copse::ipud {
namespace {

constexpr std::size_t kBehind = 4096; // for reads past the end of the slot

} // namespace

SlotBytes::SlotBytes(std::size_t bytes) : size_(bytes + kBehind) {
  void *const got = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    throw std::bad_alloc();
  bytes_ = static_cast<std::uint8_t *>(got);
}

SlotBytes::~SlotBytes() { ::munmap(bytes_, size_); }

void SlotBytes::clear() { ::madvise(bytes_, size_, MADV_DONTNEED); }

} // namespace copse::ipud
