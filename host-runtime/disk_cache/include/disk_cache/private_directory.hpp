#pragma once

#include <filesystem>
#include <string>

namespace copse::disk_cache {

/// A directory under $TMPDIR or /tmp that only this user can enter (0700). The destructor removes
/// it with its content. If a process is killed, its directory is removed when another one is
/// created: each directory contains a file that its owner keeps locked while it lives.
class PrivateDirectory {
public:
  /// Creates the directory. Throws std::system_error.
  PrivateDirectory();
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory &) = delete;
  PrivateDirectory &operator=(const PrivateDirectory &) = delete;

  const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
  int lock_ = -1; ///< descriptor of the locked file
};

} // namespace copse::disk_cache
