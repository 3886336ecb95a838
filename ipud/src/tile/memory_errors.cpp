#include "ipud/memory_errors.hpp"

#include <algorithm>

namespace copse::ipud {

void MemoryErrors::add(wire::TileAddress where) {
  where.address &= ~std::uint32_t{3};
  const locks::Lock lock(mutex_);
  const auto at = std::lower_bound(words_.begin(), words_.end(), where);
  if (at != words_.end() && *at == where)
    return;
  words_.insert(at, where);
  ++version_;
}

void MemoryErrors::clear() {
  const locks::Lock lock(mutex_);
  words_.clear();
  ++version_;
}

std::vector<wire::TileAddress> MemoryErrors::words() const {
  const locks::Lock lock(mutex_);
  return words_;
}

} // namespace copse::ipud
