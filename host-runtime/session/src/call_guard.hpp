#pragma once

#include "session/machine.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>

namespace copse::session {

/// Passes calls on to a handler, and knows which one is under way and since when: so that somebody
/// else can stop waiting for a callback of the host program that does not return.
///
/// Thread: the calls of StreamHandler on one; deadline() and giveUp() on another.
class CallGuard final : public StreamHandler {
public:
  using Clock = std::chrono::steady_clock;

  /// Thrown on the calling thread when a call that was given up returns after all: nothing that it
  /// worked for is there any more.
  struct GivenUp {};

  /// What is called, for messages.
  struct Call {
    const char *name = ""; ///< of the function of StreamCallback, or "print"
    std::uint32_t stream = 0, replica = 0;
    bool ofStream = true; ///< else of a printed tensor
  };

  /// \param patience  how long one call may take [wall-clock]; 0: for ever
  CallGuard(StreamHandler &handler, std::chrono::milliseconds patience)
      : handler_(handler), patience_(patience) {}

  /// When the call that is under way will have taken too long; without one, when to ask again.
  Clock::time_point deadline() const;
  /// Gives up the call that is under way if it has taken too long.
  /// \returns whether it has
  bool giveUp();
  /// The call that was given up, or the last one if there was one; while no call begins.
  const Call &call() const { return call_; }

  void fetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override;
  bool prefetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override;
  void complete(std::uint32_t stream, std::uint32_t replica) override;
  void take(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) override;
  void invalidatePrefetched(std::uint32_t stream, std::uint32_t replica) override;
  void print(std::uint32_t tensor, std::uint32_t replica, std::span<const std::byte> row) override;

private:
  template <class F> void guarded(const Call &call, const F &work);
  void leave();

  static constexpr Clock::rep kIdle = 0, kGivenUp = -1;

  StreamHandler &handler_;
  std::chrono::milliseconds patience_;
  Call call_;
  std::atomic<Clock::rep> since_{kIdle}; ///< begin of the call that is under way
};

} // namespace copse::session
