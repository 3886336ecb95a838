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

/// The memory in which the members of a group meet, if all are processes of one machine
/// (PROTOCOL.md, section 4). The last member that arrives works out when all leave, and wakes the
/// others. No member trusts the memory: what cannot be makes arrive() and left() fail.
///
/// Life: the coordinator creates it, the others adopt it; each takes its place; when all have, the
/// coordinator begins; from then on each member arrives and leaves. Members are numbered from 0.
///
/// Thread: the control program's, but for alert(), which any may call.
class GroupMemory {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostMembers = 64;
  static constexpr std::size_t kBytes = 8192;

  /// \param members  at most kMostMembers
  /// \returns OutOfMemory
  static wire::Result<std::shared_ptr<GroupMemory>> create(std::size_t members);
  /// \returns BadFrame if it is no memory of a group
  static wire::Result<std::shared_ptr<GroupMemory>> adopt(fabric::Descriptor descriptor,
                                                          std::size_t members);

  const fabric::SharedMemory &memory() const { return memory_; }

  void takePlace(std::size_t member);
  bool hasPlace(std::size_t member) const;
  bool allHavePlaces() const;
  /// Sync points from number \p first on are met here. Before anybody hears that the one before is
  /// over.
  void begin(std::uint64_t first);
  /// Whether sync point \p number is met here.
  bool isUsedFor(std::uint64_t number);

  struct Arrival {
    wire::Cycles time;
    std::uint32_t step = 0;
    std::uint64_t work = 0; ///< since the last sync point [modelled cycles]
  };
  /// \param number   of a sync point that isUsedFor()
  /// \param latency  from the latest arrival to the leave
  /// \returns Disconnected if the memory is corrupt
  wire::Status arrive(std::size_t member, std::uint64_t number, Arrival arrival,
                      wire::Cycles latency);
  bool hasArrived(std::size_t member, std::uint64_t number) const;
  /// \returns when all leave, nothing as long as they do not, Disconnected if the memory is corrupt
  wire::Result<std::optional<wire::Cycles>> left(std::uint64_t number) const;
  /// Whether all members have worked about as long before the last sync point that is over, and long enough to make it
  /// worth a move to another core; or had next to nothing to do since the one before. Where few of them work at a time, or
  /// wait for others than members, the kernel places them better.
  bool homesPay() const;
  /// All have arrived at sync point \p number, but at different steps: the coordinator has to hear
  /// who is where.
  bool stepsDiffer(std::uint64_t number) const;

  /// \p member has a message in its socket.
  void announceMessage(std::size_t member);
  /// Messages that were announced to \p member so far.
  std::uint32_t announced(std::size_t member) const;

  /// Counts everything for which a member may wait. To be read before it looks whether what it
  /// waits for is there.
  std::uint32_t events() const;
  /// Waits for a moment without sleeping, as long as that has helped lately. After arrive().
  /// \returns whether events() is not \p seen
  bool spinForEvent(std::uint32_t seen);
  /// Whether a member that has not arrived at the sync point of the last arrive() was on this core
  /// when it arrived last.
  bool coreIsAwaited();
  /// Sleeps until events() is not \p seen, or until \p deadline, or for no reason.
  void awaitEvent(std::uint32_t seen, Clock::time_point deadline);
  /// Wakes all who wait.
  void alert();

private:
  struct Place {
    alignas(64) std::atomic<std::uint64_t> arrived; ///< number of the last arrival, plus 1
    std::atomic<std::uint64_t> time;                ///< of that arrival [modelled cycles]
    std::atomic<std::uint64_t> work;                ///< before that arrival
    std::atomic<std::uint32_t> step;                ///< of that arrival
    std::atomic<std::uint32_t> taken;
    std::atomic<std::uint32_t> announced;
    std::atomic<std::uint32_t> core; ///< of that arrival, plus 1
  };
  struct Control {
    alignas(64) std::atomic<std::uint64_t> first; ///< sync point that is met here, plus 1; 0: none
    alignas(64) std::atomic<std::uint64_t> arrivals; ///< since the first, of all members
    alignas(64) std::atomic<std::uint64_t> left;     ///< last sync point that is over, plus 1
    std::atomic<std::uint64_t> leaveTime;            ///< of that one [modelled cycles]
    std::atomic<std::uint64_t> completedAt;          ///< when it was over [ns of steady_clock]
    std::atomic<std::uint64_t> differing;            ///< whose steps differ, plus 1
    std::atomic<std::uint32_t> events;               ///< the futex
    alignas(64) std::atomic<std::uint32_t> sleepers; ///< about; a dead one may be counted
    std::atomic<std::uint32_t> homesPay;             ///< of the last sync point that is over
    std::array<Place, kMostMembers> places;
  };
  static_assert(sizeof(Control) <= kBytes && std::atomic<std::uint64_t>::is_always_lock_free);

  GroupMemory(fabric::SharedMemory memory, std::size_t members);
  wire::Status complete(std::uint64_t number, wire::Cycles latency);
  void decideOnHomes(std::uint64_t leastWork, std::uint64_t mostWork);
  Control &control() const { return *reinterpret_cast<Control *>(memory_.data()); }
  Place &place(std::size_t member) const { return control().places[member]; }

  fabric::SharedMemory memory_;
  std::size_t members_;
  std::uint64_t number_ = 0; ///< of the last arrive()
  std::uint32_t core_ = 0;   ///< of that arrival, plus 1
  /// Members below this have arrived there, or were on other cores: each is asked until then, not at every turn.
  std::size_t looked_ = 0;
  std::uint64_t first_ = 0; ///< as control().first was when it was read first
  fabric::Spinning spinning_;
};

} // namespace copse::sync
