#pragma once

#include "fabric/descriptor.hpp"
#include "fabric/shared_memory.hpp"
#include "wire/result.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace copse::fabric {

/// A system call for every message would cost more than the message. A node therefore publishes how
/// it waits, and a peer that has written into one of its rings makes a system call only if the node
/// sleeps. Both ends of a ring map the doorbell of the other end. A malicious peer can at worst
/// wake a node for nothing, or not wake it; every sleep is bounded. Beside the state lies the
/// heartbeat of the node.
///
/// A node announces each kind of waiting, then checks once more for data, and only then waits.
class Doorbell {
public:
  using Clock = std::chrono::steady_clock;
  /// Size of the shared memory [bytes].
  static constexpr std::size_t kBytes = 4096;

  static wire::Result<Doorbell> create();
  /// \returns BadFrame if \p memory is not a doorbell's, or \p event is not an eventfd
  static wire::Result<Doorbell> adopt(Descriptor memory, Descriptor event);

  /// Returns the descriptors that a peer needs to wake this node.
  int memory() const { return memory_.descriptor(); }
  int event() const { return event_.number(); }

  // For the owner of the doorbell:

  /// Announces that a thread polls the rings, or soon will: no peer needs to wake it.
  void attend() { state().store(kAttended); }
  /// Announces that a thread sleeps in sleepUntil().
  void announceSleep() { state().store(kAsleep); }
  void sleepUntil(Clock::time_point deadline);
  /// Announces that a thread watches the eventfd.
  void announceWatch() { state().store(kWatched); }
  /// Announces that no thread waits: messages may stay in the rings until a thread needs them. Only
  /// an urgent wake() makes the eventfd readable.
  void announceAway() { state().store(kAway); }
  /// Returns to the state of announceAway() after an urgent wake(), unless a thread has announced
  /// another state since.
  /// \returns true if there was an urgent wake()
  bool resumeAway();
  /// Resets the eventfd after it became readable.
  void silence();
  /// Increments the heartbeat.
  void beat() { beatWord().fetch_add(1, std::memory_order_relaxed); }

  // For the owner and its peers:

  /// Wakes the owner if it sleeps.
  /// \param urgent  wake it in any state but attend(): the ring is full, or the owner has to show
  ///   that it is alive
  void wake(bool urgent = true);
  /// Returns the heartbeat, which grows while the owner is alive.
  std::uint32_t beats() const { return beatWord().load(std::memory_order_relaxed); }

private:
  static constexpr std::uint32_t kAttended = 0, kAsleep = 1, kWatched = 2, kAway = 3;
  /// Offset of the heartbeat, on a cache line of its own.
  static constexpr std::size_t kBeatsAt = 64;

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
