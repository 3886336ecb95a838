#include "group_memory.hpp"

#include "fabric/futex.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <sched.h>
#include <thread>
#include <utility>

namespace copse::sync {
namespace {

using wire::Code;
using wire::Status;

Status corrupt(const char *what) {
  return {Code::Disconnected, std::string("the memory in which a sync group meets is corrupt (") +
                                  what +
                                  "): one of its processes has written what it should not; reset"};
}

unsigned membersPerCore(std::size_t members) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>((members + cores - 1) / cores);
}

} // namespace

GroupMemory::GroupMemory(fabric::SharedMemory memory, std::size_t members)
    : memory_(std::move(memory)), members_(members),
      spinning_(fabric::Spinning::Others::Either, membersPerCore(members)) {}

wire::Result<std::shared_ptr<GroupMemory>> GroupMemory::create(std::size_t members) {
  assert(members <= kMostMembers);
  auto memory = fabric::SharedMemory::create("copse-sync", kBytes);
  if (!memory)
    return memory.status();
  return std::shared_ptr<GroupMemory>(new GroupMemory(std::move(*memory), members));
}

wire::Result<std::shared_ptr<GroupMemory>> GroupMemory::adopt(fabric::Descriptor descriptor,
                                                              std::size_t members) {
  assert(members <= kMostMembers);
  auto memory = fabric::SharedMemory::adopt(std::move(descriptor), kBytes);
  if (!memory)
    return memory.status();
  return std::shared_ptr<GroupMemory>(new GroupMemory(std::move(*memory), members));
}

void GroupMemory::takePlace(std::size_t member) { place(member).taken.store(1); }
bool GroupMemory::hasPlace(std::size_t member) const { return place(member).taken.load() == 1; }

bool GroupMemory::allHavePlaces() const {
  for (std::size_t member = 0; member < members_; ++member)
    if (!hasPlace(member))
      return false;
  return true;
}

void GroupMemory::begin(std::uint64_t first) { control().first.store(first + 1); }

bool GroupMemory::isUsedFor(std::uint64_t number) {
  if (first_ == 0)
    first_ = control().first.load();
  return first_ != 0 && number + 1 >= first_;
}

Status GroupMemory::arrive(std::size_t member, std::uint64_t number, Arrival arrival,
                           wire::Cycles latency) {
  Place &own = place(member);
  own.time.store(arrival.time.value, std::memory_order_relaxed);
  own.step.store(arrival.step, std::memory_order_relaxed);
  number_ = number;
  looked_ = 0;
  core_ = static_cast<std::uint32_t>(::sched_getcpu() + 1);
  own.core.store(core_, std::memory_order_relaxed);
  own.arrived.store(number + 1);
  const std::uint64_t before = (number + 1 - first_) * members_;
  const std::uint64_t nth = control().arrivals.fetch_add(1) + 1 - before;
  if (nth == 0 || nth > members_)
    return corrupt("more members have arrived than there are");
  return nth == members_ ? complete(number, latency) : Status::success();
}

Status GroupMemory::complete(std::uint64_t number, wire::Cycles latency) {
  wire::Cycles latest;
  bool differ = false;
  const std::uint32_t step = place(0).step.load(std::memory_order_relaxed);
  for (std::size_t member = 0; member < members_; ++member) {
    if (!hasArrived(member, number))
      return corrupt("fewer members have arrived than were counted");
    const Place &its = place(member);
    latest = std::max(latest, wire::Cycles{its.time.load(std::memory_order_relaxed)});
    differ = differ || its.step.load(std::memory_order_relaxed) != step;
  }
  if (differ) {
    control().differing.store(number + 1);
  } else {
    control().leaveTime.store((latest + latency).value, std::memory_order_relaxed);
    control().left.store(number + 1);
  }
  alert();
  return Status::success();
}

bool GroupMemory::hasArrived(std::size_t member, std::uint64_t number) const {
  return place(member).arrived.load() == number + 1;
}

wire::Result<std::optional<wire::Cycles>> GroupMemory::left(std::uint64_t number) const {
  const std::uint64_t left = control().left.load();
  if (left == number + 1)
    return std::optional(wire::Cycles{control().leaveTime.load(std::memory_order_relaxed)});
  if (left == number || (left == 0 && number + 1 == first_))
    return std::optional<wire::Cycles>();
  return corrupt("another sync point is over");
}

bool GroupMemory::stepsDiffer(std::uint64_t number) const {
  return control().differing.load() == number + 1;
}

void GroupMemory::announceMessage(std::size_t member) {
  place(member).announced.fetch_add(1);
  alert();
}

std::uint32_t GroupMemory::announced(std::size_t member) const {
  return place(member).announced.load();
}

std::uint32_t GroupMemory::events() const { return control().events.load(); }

bool GroupMemory::spinForEvent(std::uint32_t seen) {
  return spinning_.untilOthers([this, seen] { return events() != seen; },
                               [this] { return coreIsAwaited(); });
}

bool GroupMemory::coreIsAwaited() {
  for (; looked_ < members_; ++looked_)
    if (const Place &its = place(looked_);
        its.arrived.load(std::memory_order_relaxed) != number_ + 1 &&
        its.core.load(std::memory_order_relaxed) == core_)
      return true;
  return false;
}

void GroupMemory::awaitEvent(std::uint32_t seen, Clock::time_point deadline) {
  std::atomic<std::uint32_t> &events = control().events;
  control().sleepers.fetch_add(1);
  fabric::futex::wait(events, seen, deadline - Clock::now());
  control().sleepers.fetch_sub(1);
}

void GroupMemory::alert() {
  control().events.fetch_add(1);
  if (control().sleepers.load() > 0)
    fabric::futex::wakeAll(control().events);
}

} // namespace copse::sync
