#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

namespace copse::disk_cache {

class CacheFolder;

/// Files of one kind, by a hash of everything that they were made from. Many processes may use one
/// folder: an entry appears whole or not at all. When the files of a kind take more than the limit,
/// those go that nobody has asked for the longest. A cache that cannot be used is no error, only
/// slow.
///
/// Anything may lie in the folder under an entry's name. An entry is a regular file of this user or
/// of root that no one else can write, and holds its kind, its name and a hash of its bytes: all
/// else is no entry, and keep() replaces it (but for a folder with something inside).
class FileCache {
public:
  /// Files NAME in folder \p kind of $COPSE_CACHE_DIR, else of $XDG_CACHE_HOME/copse, else of
  /// ~/.cache/copse; without any of them nothing is kept. The limit is $COPSE_CACHE_MIB, else 4096;
  /// 0 keeps nothing.
  explicit FileCache(const std::string &kind);

  /// The bytes of an entry as keep() was given them, or nothing if there is no such entry, or it is
  /// damaged.
  std::optional<std::string> find(const std::string &name) const;

  /// Makes or replaces an entry of what \p write writes.
  void keep(const std::string &name, const std::function<void(std::ostream &)> &write) const;

private:
  void makeRoom(const CacheFolder &folder) const;

  std::string kind_;
  std::filesystem::path folder_;
  std::uint64_t limit_ = 0; ///< [bytes]
};

} // namespace copse::disk_cache
