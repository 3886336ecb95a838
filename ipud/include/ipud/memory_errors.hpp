#pragma once

#include "locks/mutex.hpp"

#include "wire/image.hpp"

#include <atomic>
#include <cstdint>
#include <vector>

namespace copse::ipud {

/// The words of one IPU's tile memory whose parity is wrong (guide, 7.2). They belong to the chip,
/// not to what is loaded: only a reset makes them good, neither a load nor a store does.
///
/// Thread: any.
class MemoryErrors {
public:
  /// The word of 32 bits that holds the address has an error from now on.
  void add(wire::TileAddress where);
  /// As when the chip was reset.
  void clear();

  std::vector<wire::TileAddress> words() const; ///< ascending by tile and address
  /// Another number after each change.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

private:
  mutable locks::Mutex mutex_;
  std::vector<wire::TileAddress> words_ COPSE_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> version_{0};
};

} // namespace copse::ipud
