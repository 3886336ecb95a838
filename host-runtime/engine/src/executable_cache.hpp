#pragma once

#include "compiler/executable_impl.hpp"
#include "disk_cache/file_cache.hpp"

#include <memory>
#include <string>

namespace copse::engine {

/// Caches executables of earlier compilations in files of the format of Executable::serialize().
/// The key consists of the graph's key (compiler/graph_key.hpp) and the build id of this library,
/// so entries are used only by the build that wrote them.
class ExecutableCache {
public:
  explicit ExecutableCache(const std::string &graphKey);

  /// Returns the cached program, or null. The result has the target and options of the compilation
  /// that wrote the entry.
  std::unique_ptr<poplar::Executable::Impl> find() const;
  void keep(const poplar::Executable::Impl &executable) const;
  /// Locks what is about to be compiled: while another process compiles the same graph, waits.
  disk_cache::EntryLock lock() const;

private:
  disk_cache::FileCache files_{"executables"};
  std::string name_; ///< empty: the graph cannot be cached
};

} // namespace copse::engine
