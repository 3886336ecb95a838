#pragma once

#include "doorbell.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace copse::fabric {

/// The doorbell of a peer, which may not be known yet. Any thread may ring it.
class PeerBell {
public:
  /// Called once, on the reactor's thread.
  void set(std::shared_ptr<Doorbell> bell) {
    bell_ = std::move(bell);
    toRing_.store(bell_.get(), std::memory_order_release);
  }
  bool known() const { return bell_ != nullptr; } ///< the reactor's thread
  /// Calls Doorbell::ring() if the doorbell is known.
  void ring(bool urgent = true) const {
    if (Doorbell *const bell = toRing_.load(std::memory_order_acquire))
      bell->ring(urgent);
  }
  /// Returns Doorbell::beats(); 0 while the doorbell is not known.
  std::uint32_t beats() const {
    const Doorbell *const bell = toRing_.load(std::memory_order_acquire);
    return bell == nullptr ? 0 : bell->beats();
  }

private:
  std::shared_ptr<Doorbell> bell_;
  std::atomic<Doorbell *> toRing_{nullptr};
};

} // namespace copse::fabric
