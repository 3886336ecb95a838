#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

namespace copse::disk_cache {

/// Files of one kind, by a hash of everything that they were made from. Many processes may use one
/// folder: an entry appears whole or not at all. When the files of a kind take more than the limit,
/// those go that nobody has asked for the longest. A cache that cannot be used is no error, only
/// slow.
class FileCache {
public:
  /// Files NAME in folder \p kind of $COPSE_CACHE_DIR, else of $XDG_CACHE_HOME/copse, else of
  /// ~/.cache/copse; without any of them nothing is kept. The limit is $COPSE_CACHE_MIB, else 4096;
  /// 0 keeps nothing.
  explicit FileCache(const std::string &kind);

  /// The bytes of an entry, or nothing if there is none. Whether they make sense is the caller's to
  /// find out: a disk may have damaged them.
  std::optional<std::string> find(const std::string &name) const;

  /// Makes or replaces an entry of what \p write writes.
  void keep(const std::string &name, const std::function<void(std::ostream &)> &write) const;

private:
  void makeRoom() const;

  std::filesystem::path folder_;
  std::uint64_t limit_ = 0; ///< [bytes]
};

} // namespace copse::disk_cache
