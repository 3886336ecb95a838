#include "block_allocator.hpp"

#include <algorithm>
#include <iterator>

namespace copse::fabric {

std::optional<std::uint32_t> BlockAllocator::allocate(std::uint32_t count, std::uint32_t within) {
  const auto found = std::find_if(free_.begin(), free_.end(),
                                  [count](const auto &range) { return range.second >= count; });
  if (found == free_.end() || count == 0 || found->first - first_ + count > within)
    return {};
  const auto [start, room] = *found;
  free_.erase(found);
  if (room > count)
    free_[start + count] = room - count;
  return start;
}

void BlockAllocator::release(std::uint32_t start, std::uint32_t count) {
  auto range = free_.emplace(start, count).first;
  if (const auto after = std::next(range);
      after != free_.end() && after->first == start + range->second) {
    range->second += after->second;
    free_.erase(after);
  }
  if (range == free_.begin())
    return;
  if (const auto before = std::prev(range); before->first + before->second == start) {
    before->second += range->second;
    free_.erase(range);
  }
}

} // namespace copse::fabric
