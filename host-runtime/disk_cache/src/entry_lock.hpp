#pragma once

#include "cache_folder.hpp"

#include "disk_cache/entry_lock.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace copse::disk_cache {

/// A locked file beside the entry. The kernel unlocks the file when its holder dies. A holder that
/// ends its work removes the file first, which distinguishes both cases.
struct EntryLock::Held {
  CacheFolder folder;
  OpenFile file;
  std::string name;

  /// \returns null if the lock is not held
  static std::unique_ptr<Held> waitFor(CacheFolder folder, const std::string &entry,
                                       std::chrono::milliseconds longest);
};

} // namespace copse::disk_cache
