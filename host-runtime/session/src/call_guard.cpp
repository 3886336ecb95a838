#include "call_guard.hpp"

namespace copse::session {
namespace {

// How long to sleep when there is nothing to watch for.
constexpr std::chrono::hours kLong{1};

} // namespace

CallGuard::Clock::time_point CallGuard::deadline() const {
  const Clock::time_point now = Clock::now();
  if (patience_.count() == 0)
    return now + kLong;
  const Clock::rep since = since_.load(std::memory_order_acquire);
  // A call that begins the moment after this is asked for at its own deadline or sooner.
  return since == kIdle ? now + patience_ : Clock::time_point(Clock::duration(since)) + patience_;
}

bool CallGuard::giveUp() {
  if (patience_.count() == 0)
    return false;
  Clock::rep since = since_.load(std::memory_order_acquire);
  if (since == kIdle || Clock::now() < Clock::time_point(Clock::duration(since)) + patience_)
    return false;
  return since_.compare_exchange_strong(since, kGivenUp, std::memory_order_acq_rel);
}

template <class F> void CallGuard::guarded(const Call &call, const F &work) {
  call_ = call;
  since_.store(Clock::now().time_since_epoch().count(), std::memory_order_release);
  try {
    work();
  } catch (...) {
    leave();
    throw;
  }
  leave();
}

void CallGuard::leave() {
  if (since_.exchange(kIdle, std::memory_order_acq_rel) == kGivenUp)
    throw GivenUp{};
}

void CallGuard::fetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) {
  guarded({"fetch", stream, replica}, [&] { handler_.fetch(stream, replica, row); });
}

bool CallGuard::prefetch(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) {
  bool filled = false;
  guarded({"prefetch", stream, replica}, [&] { filled = handler_.prefetch(stream, replica, row); });
  return filled;
}

void CallGuard::complete(std::uint32_t stream, std::uint32_t replica) {
  guarded({"complete", stream, replica}, [&] { handler_.complete(stream, replica); });
}

void CallGuard::take(std::uint32_t stream, std::uint32_t replica, std::span<std::byte> row) {
  guarded({"fetch", stream, replica}, [&] { handler_.take(stream, replica, row); });
}

void CallGuard::invalidatePrefetched(std::uint32_t stream, std::uint32_t replica) {
  guarded({"invalidatePrefetched", stream, replica},
          [&] { handler_.invalidatePrefetched(stream, replica); });
}

void CallGuard::print(std::uint32_t tensor, std::uint32_t replica, std::span<const std::byte> row) {
  guarded({"print", tensor, replica, false}, [&] { handler_.print(tensor, replica, row); });
}

} // namespace copse::session
