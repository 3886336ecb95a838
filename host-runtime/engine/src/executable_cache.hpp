#pragma once

#include "compiler/executable_impl.hpp"
#include "disk_cache/file_cache.hpp"

#include <memory>
#include <string>

namespace copse::engine {

/// Executables of earlier compilations, in files as Executable::serialize() writes them, by the key
/// of the graph (compiler/graph_key.hpp) and the build of this library: what one build has compiled
/// is nothing to another.
class ExecutableCache {
public:
  explicit ExecutableCache(const std::string &graphKey);

  /// The program that was kept, or null. Target and options of the result are those of whoever
  /// compiled it.
  std::unique_ptr<poplar::Executable::Impl> find() const;
  void keep(const poplar::Executable::Impl &executable) const;

private:
  disk_cache::FileCache files_{"executables"};
  std::string name_; ///< empty: nothing can be kept
};

} // namespace copse::engine
