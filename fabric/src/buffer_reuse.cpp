#include "fabric/buffer_reuse.hpp"

#include <malloc.h>

namespace copse::fabric {

void reuseBuffers() {
  // Setting one of them ends the allocator's own adaptation of both.
  (void)::mallopt(M_MMAP_THRESHOLD, 32 << 20); // the largest that it takes
  (void)::mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

} // namespace copse::fabric
