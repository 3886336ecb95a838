#include "entry_lock.hpp"

#include <cerrno>
#include <sys/file.h>
#include <thread>

namespace copse::disk_cache {
namespace {

using Clock = std::chrono::steady_clock;

/// flock() has no deadline, so it is called again and again.
constexpr std::chrono::milliseconds kInterval{10};

bool isLockedBefore(int file, Clock::time_point deadline) {
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || Clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(kInterval);
  }
  return true;
}

} // namespace

std::unique_ptr<EntryLock::Held> EntryLock::Held::waitFor(CacheFolder folder,
                                                          const std::string &entry,
                                                          std::chrono::milliseconds longest) {
  std::string name = entry + ".lock";
  OpenFile file = folder.openLock(name);
  if (!file || !isLockedBefore(file.number(), Clock::now() + longest) || !folder.hasAs(name, file))
    return nullptr;
  return std::make_unique<Held>(Held{std::move(folder), std::move(file), std::move(name)});
}

EntryLock::EntryLock() = default;
EntryLock::EntryLock(std::unique_ptr<Held> held) : held_(std::move(held)) {}
EntryLock::EntryLock(EntryLock &&other) noexcept = default;

EntryLock::~EntryLock() {
  if (held_)
    held_->folder.remove(held_->name);
}

} // namespace copse::disk_cache
