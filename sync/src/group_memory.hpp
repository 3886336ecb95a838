#pragma once

#include "fabric/descriptor.hpp"
#include "fabric/shared_memory.hpp"
#include "fabric/spinning.hpp"
#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace copse::sync {

/// A message through the kernel costs more than the rest of a sync point. If all members of a group
/// are processes of one machine, they meet in this shared memory instead (PROTOCOL.md, section 4).
/// The last member to arrive computes when all leave, and wakes the others. No member trusts the
/// memory: arrive() and left() fail if its content is impossible.
///
/// Life: the coordinator creates the memory and the other members adopt it. Each member takes its
/// place; once all have, the coordinator calls begin(). From then on each member arrives and
/// leaves. Members are numbered from 0.
///
/// Thread: the thread of the control program; any thread may call alert().
class GroupMemory {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostMembers = 256;
  static constexpr std::size_t kBytes = 32768;

  /// \param members  at most kMostMembers
  /// \returns OutOfMemory
  static wire::Result<std::shared_ptr<GroupMemory>> create(std::size_t members);
  /// \returns BadFrame if the memory behind \p descriptor is not a group's
  static wire::Result<std::shared_ptr<GroupMemory>> adopt(fabric::Descriptor descriptor,
                                                          std::size_t members);

  const fabric::SharedMemory &memory() const { return memory_; }

  void takePlace(std::size_t member);
  bool hasPlace(std::size_t member) const;
  bool allHavePlaces() const;
  /// Makes the group meet in this memory from sync point \p first on. Must be called before any
  /// member can learn that the previous sync point is over.
  void begin(std::uint64_t first);
  /// Returns true if the group meets in this memory for sync point \p number.
  bool isUsedFor(std::uint64_t number);

  struct Arrival {
    wire::Cycles time;
    std::uint32_t step = 0;
  };
  /// Records that \p member has arrived.
  /// \param number   number of a sync point for which isUsedFor() is true
  /// \param latency  from the latest arrival to the leave
  /// \returns Disconnected if the memory is corrupt
  wire::Status arrive(std::size_t member, std::uint64_t number, Arrival arrival,
                      wire::Cycles latency);
  bool hasArrived(std::size_t member, std::uint64_t number) const;
  /// \returns the time at which all members leave; nothing while the sync point is not over;
  ///   Disconnected if the memory is corrupt
  wire::Result<std::optional<wire::Cycles>> left(std::uint64_t number) const;
  /// Returns true if all members have arrived at sync point \p number, but at different steps.
  /// Members must then report their steps to the coordinator, whose error message names them.
  bool stepsDiffer(std::uint64_t number) const;

  /// Announces that \p member has a message in its socket.
  void announceMessage(std::size_t member);
  /// Returns the number of messages that were announced to \p member.
  std::uint32_t announced(std::size_t member) const;

  /// Returns a counter of all events that a member may wait for. Read the counter before checking
  /// the condition, so that an event in between is not missed.
  std::uint32_t events() const;
  /// Spins briefly instead of sleeping, if spinning has helped lately. Call after arrive().
  /// \returns true if events() differs from \p seen
  bool spinForEvent(std::uint32_t seen);
  /// Returns true if a member that has not yet arrived at the sync point of the last arrive() last
  /// ran on this core, so that spinning would keep it from running.
  bool coreIsAwaited();
  /// Sleeps until events() differs from \p seen, or until \p deadline; may also wake spuriously.
  void awaitEvent(std::uint32_t seen, Clock::time_point deadline);
  /// Wakes all sleeping members.
  void alert();

private:
  struct Place {
    alignas(64) std::atomic<std::uint64_t> arrived; ///< number of the member's last arrival, plus 1
    std::atomic<std::uint64_t> time;                ///< time of the last arrival [modelled cycles]
    std::atomic<std::uint32_t> step;                ///< step of the last arrival
    std::atomic<std::uint32_t> taken;
    std::atomic<std::uint32_t> announced;
    std::atomic<std::uint32_t> core; ///< core of the last arrival, plus 1
  };
  struct Control {
    /// The first sync point to be met here, plus 1; 0: none.
    alignas(64) std::atomic<std::uint64_t> first;
    /// Arrivals of all members since the last sync point that is over.
    alignas(64) std::atomic<std::uint64_t> arrivals;
    alignas(64) std::atomic<std::uint64_t> left; ///< last sync point that is over, plus 1
    std::atomic<std::uint64_t> leaveTime; ///< leave time of that sync point [modelled cycles]
    std::atomic<std::uint64_t> differing; ///< last sync point at which steps differ, plus 1
    std::atomic<std::uint32_t> events;    ///< the futex
    /// An estimate: a member that died asleep stays counted.
    alignas(64) std::atomic<std::uint32_t> sleepers;
    std::array<Place, kMostMembers> places;
  };
  static_assert(sizeof(Control) <= kBytes && std::atomic<std::uint64_t>::is_always_lock_free);

  GroupMemory(fabric::SharedMemory memory, std::size_t members);
  wire::Status complete(std::uint64_t number, wire::Cycles latency);
  Control &control() const { return *reinterpret_cast<Control *>(memory_.data()); }
  Place &place(std::size_t member) const { return control().places[member]; }

  fabric::SharedMemory memory_;
  std::size_t members_;
  std::uint64_t number_ = 0; ///< number of the last arrive()
  std::uint32_t core_ = 0;   ///< core of the last arrive(), plus 1
  /// The members below this number have arrived, or were on other cores. Remembered so that a spin
  /// does not check them at every turn.
  std::size_t looked_ = 0;
  std::uint64_t first_ = 0; ///< cached control().first; 0: not set yet
  fabric::Spinning spinning_;
};

} // namespace copse::sync
