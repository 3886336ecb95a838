#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

namespace copse::fabric {

/// Allocates blocks from a range of granules, at the lowest address that fits, because memory that
/// was used a moment ago is still in a cache. The records lie outside of the range, and cost per
/// block and not per granule.
///
/// Thread: one at a time.
class BlockAllocator {
public:
  BlockAllocator(std::uint32_t first, std::uint32_t granules) : first_(first) {
    if (granules > 0)
      free_[first] = granules;
  }

  /// \param within  only the first \p within granules of the range are used
  /// \returns the first granule; nothing if there is no gap of \p count granules
  std::optional<std::uint32_t>
  allocate(std::uint32_t count, std::uint32_t within = std::numeric_limits<std::uint32_t>::max());
  /// Frees \p count granules from \p start on, which must have been allocated together.
  void release(std::uint32_t start, std::uint32_t count);

private:
  std::uint32_t first_;
  /// Free granules by the start of their gap; adjacent gaps are joined.
  std::map<std::uint32_t, std::uint32_t> free_;
};

} // namespace copse::fabric
