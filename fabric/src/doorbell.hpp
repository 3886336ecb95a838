#pragma once

#include "fabric/descriptor.hpp"
#include "fabric/shared_memory.hpp"
#include "wire/result.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace copse::fabric {

/// Wakes a node when something has come into its rings. The node says how it waits at the moment;
/// a writer rings, which costs a system call only if somebody waits. Both ends of a ring map
/// the bell of the other. A peer can at worst ring for nothing, or not ring: waits are bounded.
/// Beside the bell lies a word that shows that its owner lives.
///
/// Each kind of waiting is announced first; then the node looks once more whether something has
/// come, and only then waits.
class Doorbell {
public:
  using Clock = std::chrono::steady_clock;
  /// Of the shared memory [bytes].
  static constexpr std::size_t kBytes = 4096;

  static wire::Result<Doorbell> create();
  /// \returns BadFrame if \p memory is none
  static wire::Result<Doorbell> adopt(Descriptor memory, Descriptor event);

  /// Shared memory and an eventfd, for a peer.
  int memory() const { return memory_.descriptor(); }
  int event() const { return event_.number(); }

  // The node's end.

  /// Some thread looks into the rings, or soon will: nobody needs to ring.
  void attend() { state().store(kAttended); }
  /// A thread sleeps until the bell rings.
  void announceSleep() { state().store(kAsleep); }
  void sleepUntil(Clock::time_point deadline);
  /// The eventfd becomes readable when the bell rings.
  void announceWatch() { state().store(kWatched); }
  /// No thread waits: messages may stay in the rings until one wants them. Only rings that are
  /// urgent make the eventfd readable.
  void announceAway() { state().store(kAway); }
  /// After an urgent ring, unless a thread has announced something else since.
  /// \returns whether there was one
  bool resumeAway();
  /// After the eventfd became readable.
  void silence();
  /// Shows that the node lives.
  void beat() { beatWord().fetch_add(1, std::memory_order_relaxed); }

  // Any end.

  /// \param urgent  the ring is full, or the node has to show that it lives
  void ring(bool urgent = true);
  /// Grows now and then while the node lives.
  std::uint32_t beats() const { return beatWord().load(std::memory_order_relaxed); }

private:
  static constexpr std::uint32_t kAttended = 0, kAsleep = 1, kWatched = 2, kAway = 3;
  static constexpr std::size_t kBeatsAt = 64; ///< on a cache line of their own

  Doorbell(SharedMemory memory, Descriptor event)
      : memory_(std::move(memory)), event_(std::move(event)) {}
  std::atomic<std::uint32_t> &state() const {
    return *reinterpret_cast<std::atomic<std::uint32_t> *>(memory_.data());
  }
  std::atomic<std::uint32_t> &beatWord() const {
    return *reinterpret_cast<std::atomic<std::uint32_t> *>(memory_.data() + kBeatsAt);
  }

  SharedMemory memory_;
  Descriptor event_;
};

} // namespace copse::fabric
