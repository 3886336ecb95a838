#pragma once

#include "disk_cache/entry_lock.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

namespace copse::disk_cache {

class CacheFolder;

/// The longest wait for a process that makes the same entry [wall-clock]. A process that stands
/// still must not stop all others.
inline constexpr std::chrono::seconds kLongestLockWait{60};

/// Caches the results of slow work in files, named by a hash of everything that they were made
/// from. Many processes may share a folder: an entry appears as a whole or not at all. When the
/// files of one kind exceed the limit, the least recently used ones are deleted. If the cache
/// cannot be used, that is not an error; the work is done again.
///
/// The folder may contain anything under an entry's name. An entry is a regular file that belongs
/// to this user or to root, that no other user can write, and that contains its kind, its name and
/// a hash of its bytes. Everything else is not an entry, and keep() replaces it (except for a
/// folder that is not empty).
class FileCache {
public:
  /// Opens the cache in folder \p kind of $COPSE_CACHE_DIR, else of $XDG_CACHE_HOME/copse, else of
  /// ~/.cache/copse; without any of these variables nothing is cached. The limit is
  /// $COPSE_CACHE_MIB, by default 4096; 0 caches nothing.
  explicit FileCache(const std::string &kind);

  /// Returns the bytes of an entry that keep() stored; nothing if the entry is missing or damaged.
  std::optional<std::string> find(const std::string &name) const;

  /// Creates or replaces an entry with the output of \p write.
  void keep(const std::string &name, const std::function<void(std::ostream &)> &write) const;

  /// Locks an entry that is missing, to make it.
  EntryLock lock(const std::string &name,
                 std::chrono::milliseconds longest = kLongestLockWait) const;

private:
  void makeRoom(const CacheFolder &folder) const;

  std::string kind_;
  std::filesystem::path folder_;
  std::uint64_t limit_ = 0; ///< [bytes]
};

} // namespace copse::disk_cache
