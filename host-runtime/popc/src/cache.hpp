#pragma once

#include "disk_cache/file_cache.hpp"
#include "popc/vertex_type.hpp"

#include <optional>
#include <string>
#include <utility>

namespace copse::popc {

/// Compiled modules on disk, by a hash of everything that they were made from, and of what made
/// them.
class Cache {
public:
  /// \param popc  names the code that compiles what is not there, for keys: this library's own
  explicit Cache(std::string popc = ownCode()) : popc_(std::move(popc)) {}
  const std::string &popc() const { return popc_; }

  /// \returns nothing if there is no such entry, or it is damaged
  std::optional<Module> find(const std::string &key) const;
  void keep(const std::string &key, const Module &module) const;

private:
  static std::string ownCode();

  std::string popc_;
  disk_cache::FileCache files_{"codelets"};
};

} // namespace copse::popc
