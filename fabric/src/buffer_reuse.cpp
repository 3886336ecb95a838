#include "fabric/buffer_reuse.hpp"

#include <malloc.h>

namespace copse::fabric {

void reuseBuffers() {
  // Setting one of them ends the allocator's own adaptation of both.
  // NOLINTBEGIN(concurrency-mt-unsafe): programs call this before they have threads
  (void)::mallopt(M_MMAP_THRESHOLD, 32 << 20); // the largest value that mallopt() accepts
  (void)::mallopt(M_TRIM_THRESHOLD, 64 << 20);
  // NOLINTEND(concurrency-mt-unsafe)
}

} // namespace copse::fabric
