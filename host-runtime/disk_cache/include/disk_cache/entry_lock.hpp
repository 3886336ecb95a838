#pragma once

#include <memory>

namespace copse::disk_cache {

/// Processes that start together, such as the instances of a job, miss the same entry and would all
/// do the same slow work. With this lock one of them does the work, and the others wait for the
/// entry.
///
/// FileCache::lock() waits while another process or thread holds the lock of the name. After it has
/// returned, look for the entry again. If the entry is still missing, make it, even if the lock is
/// not held. The destructor unlocks. If the holder dies, the lock passes to a process that waits.
/// The lock is not held if
/// - its holder has unlocked it: the entry exists, or was not worth storing; the processes that
///   waited then need not do the work one after another;
/// - the holder did not finish in time;
/// - the folder cannot be used.
class EntryLock {
public:
  /// A lock that is not held.
  EntryLock();
  EntryLock(EntryLock &&other) noexcept;
  EntryLock &operator=(EntryLock &&) = delete;
  ~EntryLock();

  bool isHeld() const { return held_ != nullptr; }

private:
  friend class FileCache;
  struct Held;
  explicit EntryLock(std::unique_ptr<Held> held);

  std::unique_ptr<Held> held_;
};

} // namespace copse::disk_cache
