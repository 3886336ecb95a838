#include "doorbell.hpp"

#include "fabric/futex.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace copse::fabric {
namespace {

// The longest sleep of a waiting thread whose peer does not ring, by mistake or by malice.
constexpr std::chrono::milliseconds kLongestSleep{50};

/// Returns true if \p descriptor is an eventfd to which a write never blocks. A peer may pass any
/// descriptor.
bool isEvent(const Descriptor &descriptor) {
  std::array<char, 64> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor.number());
  const int flags = ::fcntl(descriptor.number(), F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) != 0 &&
         ::readlink(link.c_str(), target.data(), target.size() - 1) > 0 &&
         std::string(target.data()).starts_with("anon_inode:[eventfd");
}

} // namespace

wire::Result<Doorbell> Doorbell::create() {
  auto memory = SharedMemory::create("copse-doorbell", kBytes);
  if (!memory)
    return memory.status();
  Descriptor event(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!event)
    return wire::Status{wire::Code::OutOfMemory,
                        "cannot make an eventfd: " + std::generic_category().message(errno)};
  return Doorbell(std::move(*memory), std::move(event));
}

wire::Result<Doorbell> Doorbell::adopt(Descriptor memory, Descriptor event) {
  auto mapped = SharedMemory::adopt(std::move(memory), kBytes);
  if (!mapped)
    return mapped.status();
  if (!isEvent(event))
    return wire::Status{wire::Code::BadFrame, "the doorbell of a peer is not an eventfd"};
  return Doorbell(std::move(*mapped), std::move(event));
}

void Doorbell::sleepUntil(Clock::time_point deadline) {
  futex::wait(state(), kAsleep, std::min(deadline - Clock::now(), Clock::duration(kLongestSleep)));
}

void Doorbell::silence() {
  eventfd_t ignored;
  (void)::eventfd_read(event_.number(), &ignored); // fails if the eventfd is not readable
}

bool Doorbell::resumeAway() {
  std::uint32_t expected = kAttended;
  return state().compare_exchange_strong(expected, kAway);
}

void Doorbell::wake(bool urgent) {
  // Earlier writes must be visible before the state is read: the node announces that it waits, and
  // then checks once more.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::uint32_t seen = state().load(std::memory_order_relaxed);
  if (seen == kAttended || (seen == kAway && !urgent))
    return;
  if (!state().compare_exchange_strong(seen, kAttended))
    return; // the node has changed its state since, and checks its rings
  if (seen == kAsleep)
    futex::wakeAll(state());
  else
    // Fails only if the count is full, and then the eventfd is readable already.
    (void)::eventfd_write(event_.number(), 1);
}

} // namespace copse::fabric
