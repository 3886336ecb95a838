#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace copse::test {

/// Creates a folder of its own; the destructor removes it with its contents.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "copse-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error("mkdtemp: " + std::string(std::strerror(errno)));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::filesystem::path &path() const { return path_; }
  std::string file(const std::string &name) const { return (path_ / name).string(); }
  /// Returns the names of its entries.
  std::vector<std::string> entries() const { return entriesOf(path_); }
  static std::vector<std::string> entriesOf(const std::filesystem::path &folder) {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      names.push_back(entry.path().filename().string());
    return names;
  }

private:
  std::filesystem::path path_;
};

/// Creates a folder and names it in $TMPDIR, for the object's lifetime.
class OwnTemporaryDirectory {
public:
  OwnTemporaryDirectory() { ::setenv("TMPDIR", folder_.path().c_str(), 1); }
  ~OwnTemporaryDirectory() { ::unsetenv("TMPDIR"); }
  OwnTemporaryDirectory(const OwnTemporaryDirectory &) = delete;
  OwnTemporaryDirectory &operator=(const OwnTemporaryDirectory &) = delete;
  const std::filesystem::path &path() const { return folder_.path(); }

private:
  TemporaryFolder folder_;
};

} // namespace copse::test
