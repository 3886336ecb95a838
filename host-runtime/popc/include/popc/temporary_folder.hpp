#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace copse::popc {

/// A folder for what compilers read and write; gone when this is.
class TemporaryFolder {
public:
  /// \throws CompileError if there can be none
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// All of a file; nothing if it cannot be read.
std::vector<std::byte> bytesOf(const std::filesystem::path &file);

} // namespace copse::popc
