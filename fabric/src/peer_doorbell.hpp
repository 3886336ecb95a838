#pragma once

#include "doorbell.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace copse::fabric {

/// The doorbell of a peer, which may not be known yet. Any thread may ring it.
class PeerDoorbell {
public:
  /// Called once, on the reactor's thread.
  void set(std::shared_ptr<Doorbell> doorbell) {
    doorbell_ = std::move(doorbell);
    toWake_.store(doorbell_.get(), std::memory_order_release);
  }
  bool known() const { return doorbell_ != nullptr; } ///< the reactor's thread
  /// Calls Doorbell::wake() if the doorbell is known.
  void wake(bool urgent = true) const {
    if (Doorbell *const doorbell = toWake_.load(std::memory_order_acquire))
      doorbell->wake(urgent);
  }
  /// Returns Doorbell::beats(); 0 while the doorbell is not known.
  std::uint32_t beats() const {
    const Doorbell *const doorbell = toWake_.load(std::memory_order_acquire);
    return doorbell == nullptr ? 0 : doorbell->beats();
  }

private:
  std::shared_ptr<Doorbell> doorbell_;
  std::atomic<Doorbell *> toWake_{nullptr};
};

} // namespace copse::fabric
