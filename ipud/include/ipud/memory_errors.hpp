#pragma once

#include "locks/mutex.hpp"

#include "wire/image.hpp"

#include <atomic>
#include <cstdint>
#include <vector>

namespace copse::ipud {

/// The words of an IPU's tile memory whose parity is wrong (guide, 7.2). Parity errors belong to
/// the chip: they survive loads and stores, and only a reset repairs them.
///
/// Thread: any.
class MemoryErrors {
public:
  /// Makes the 32-bit word that contains the address erroneous.
  void add(wire::TileAddress where);
  /// Repairs all words, as a reset of the chip does.
  void clear();

  std::vector<wire::TileAddress> words() const; ///< ascending by tile and address
  /// Returns a number that changes with each change of the errors.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

private:
  mutable locks::Mutex mutex_;
  std::vector<wire::TileAddress> words_ COPSE_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> version_{0};
};

} // namespace copse::ipud
