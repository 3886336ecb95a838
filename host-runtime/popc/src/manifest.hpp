#pragma once

#include "dependencies.hpp"

#include "disk_cache/file_cache.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace copse::popc {

/// A lookup of a module by its expanded source has to expand the source. Manifests tell which
/// module a source became without that. A manifest is a file of the cache; its key
/// is a hash of a source and of how it is compiled. It names the module, the headers that were read
/// for it, with their hashes, and the paths where no header was found. A manifest holds as long as
/// all of this is unchanged.
class Manifests {
public:
  struct Entry {
    std::string moduleKey;
    bool testsIpu; ///< ExpandedSource::testsIpu
  };

  /// \returns nothing if no manifest exists, or if it does not hold
  std::optional<Entry> find(const std::string &sourceKey) const;

  /// Keeps a manifest, unless a header may have changed since \p begun.
  /// \param begun  a time before the source was expanded
  void keep(const std::string &sourceKey, const Entry &entry, const Dependencies &dependencies,
            std::chrono::system_clock::time_point begun) const;

private:
  disk_cache::FileCache files_{"codelets"};
};

} // namespace copse::popc
