#pragma once

#include <filesystem>
#include <string>

namespace copse::disk_cache {

/// A directory that only this user can enter (0700), under $TMPDIR or /tmp; removed with all in it
/// at the end. Those of processes that were killed are removed when the next one is made: each has
/// a file that its owner holds locked for as long as it lives.
class PrivateDirectory {
public:
  PrivateDirectory(); ///< throws std::system_error
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory &) = delete;
  PrivateDirectory &operator=(const PrivateDirectory &) = delete;

  const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
  int lock_ = -1; ///< descriptor of the locked file
};

} // namespace copse::disk_cache
