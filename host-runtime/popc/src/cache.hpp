#pragma once

#include "disk_cache/file_cache.hpp"
#include "popc/vertex_type.hpp"

#include <optional>
#include <string>
#include <utility>

namespace copse::popc {

/// Keeps compiled modules on disk. The key is a hash of all inputs and of the program that compiled
/// them.
class Cache {
public:
  /// \param popc  identifies the compiling code in keys; default: this library's code
  explicit Cache(std::string popc = ownCode()) : popc_(std::move(popc)) {}
  const std::string &popc() const { return popc_; }

  /// \returns nothing if the entry is missing or damaged
  std::optional<Module> find(const std::string &key) const;
  void keep(const std::string &key, const Module &module) const;
  /// Locks what is about to be compiled: while another process compiles the same, waits for it.
  disk_cache::EntryLock lock(const std::string &key) const { return files_.lock(key); }

private:
  static std::string ownCode();

  std::string popc_;
  disk_cache::FileCache files_{"codelets"};
};

} // namespace copse::popc
