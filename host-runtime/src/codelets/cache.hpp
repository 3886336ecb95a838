#pragma once

#include "codelets/vertex_type.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace copse::codelets {

/// Compiled modules on disk, by a hash of everything that they were made from. Many processes may
/// use one folder: an entry appears whole or not at all. A cache that cannot be used is no error,
/// only slow.
class Cache {
public:
  /// $COPSE_CACHE_DIR, else $XDG_CACHE_HOME/copse, else ~/.cache/copse; without any of them nothing
  /// is kept.
  Cache();

  /// \returns nothing if there is no such entry, or it is damaged
  std::optional<Module> find(const std::string &key) const;
  void keep(const std::string &key, const Module &module) const;

private:
  std::filesystem::path fileOf(const std::string &key) const;

  std::filesystem::path folder_;
};

} // namespace copse::codelets
