#pragma once

#include <filesystem>
#include <string>

namespace copse::session {

/// A directory that only this user can enter (0700), under $TMPDIR or /tmp; removed with all in it
/// at the end.
class PrivateDirectory {
public:
  PrivateDirectory(); ///< throws std::system_error
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory &) = delete;
  PrivateDirectory &operator=(const PrivateDirectory &) = delete;

  const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace copse::session
