#pragma once

#include "wire/image.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace copse::ipud {

/// The codelet modules that this daemon was sent, by the hash of their bytes. Each is a memory
/// file, so no disk and no writable directory is needed; it stays open until the end, for its path
/// must never name anything else (the dynamic loader takes a path that it knows for the module that
/// it knows).
///
/// Thread: one at a time.
class ModuleStore {
public:
  ModuleStore() = default;
  ~ModuleStore();
  ModuleStore(const ModuleStore &) = delete;
  ModuleStore &operator=(const ModuleStore &) = delete;

  /// Those of \p sha256 that are not here.
  std::vector<std::string> missing(const std::vector<std::string> &sha256) const;

  /// \returns BadFrame when \p sha256 is not the hash of \p bytes; OutOfMemory
  wire::Status add(const std::string &sha256, const std::string &name,
                   std::span<const std::byte> bytes);

  /// A path for dlopen(). \returns NotFound
  wire::Result<std::filesystem::path> find(const wire::ModuleRef &module) const;

private:
  std::map<std::string, int> descriptors_; ///< hash -> memory file
};

} // namespace copse::ipud
