#pragma once

#include "disk_cache/file_cache.hpp"
#include "popc/vertex_type.hpp"

#include <optional>
#include <string>

namespace copse::popc {

/// Compiled modules on disk, by a hash of everything that they were made from.
class Cache {
public:
  /// \returns nothing if there is no such entry, or it is damaged
  std::optional<Module> find(const std::string &key) const;
  void keep(const std::string &key, const Module &module) const;

private:
  disk_cache::FileCache files_{"codelets"};
};

} // namespace copse::popc
