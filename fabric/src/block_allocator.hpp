#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

namespace copse::fabric {

/// Shares out a range of granules, the lowest that fit first: memory that was used a moment ago is
/// still in a cache. Keeps its books outside of the range, costs per block and not per granule.
///
/// Thread: one at a time.
class BlockAllocator {
public:
  BlockAllocator(std::uint32_t first, std::uint32_t granules) : first_(first) {
    if (granules > 0)
      free_[first] = granules;
  }

  /// \param within  of so many granules, counted from the first of the range
  /// \returns the first granule; nothing if no \p count free ones lie together there
  std::optional<std::uint32_t>
  allocate(std::uint32_t count, std::uint32_t within = std::numeric_limits<std::uint32_t>::max());
  /// \p count granules from \p start on, as they were allocated.
  void release(std::uint32_t start, std::uint32_t count);

private:
  std::uint32_t first_;
  std::map<std::uint32_t, std::uint32_t> free_; ///< by start: how many; neighbours are joined
};

} // namespace copse::fabric
