#pragma once

#include "dependencies.hpp"

#include "disk_cache/file_cache.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace copse::popc {

/// What compilers made of sources, known without expanding them. A manifest is a file of the cache,
/// by a hash of a source and of how it is compiled. It names a module, the headers that were read
/// when that was made, with their hashes, and where there was none: it holds for as long as all of
/// this is so.
class Manifests {
public:
  /// \returns the key of the module; nothing if there is no manifest, or it does not hold
  std::optional<std::string> find(const std::string &sourceKey) const;

  /// Keeps nothing if a header may have changed since \p begun.
  /// \param begun  when the source was not expanded yet
  void keep(const std::string &sourceKey, const std::string &moduleKey,
            const Dependencies &dependencies, std::chrono::system_clock::time_point begun) const;

private:
  disk_cache::FileCache files_{"codelets"};
};

} // namespace copse::popc
