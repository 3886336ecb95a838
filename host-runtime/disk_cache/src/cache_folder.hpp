#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace copse::disk_cache {

/// Owns a file descriptor and closes it.
class OpenFile {
public:
  explicit OpenFile(int number = -1) : number_(number) {}
  ~OpenFile() {
    if (number_ >= 0)
      ::close(number_);
  }
  OpenFile(OpenFile &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OpenFile &operator=(OpenFile &&) = delete;

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

private:
  int number_;
};

/// A folder with files that only this user or root can have written.
///
/// Files are opened, renamed and removed relative to the folder's descriptor, so another user who
/// can rename a parent of the folder cannot redirect this process to other files.
class CacheFolder {
public:
  struct File {
    std::string name;
    std::int64_t used;   ///< last write or read [ns since 1970]
    std::uint64_t bytes; ///< size of the file
  };
  struct Readable {
    OpenFile file;
    std::uint64_t bytes; ///< size of the file
  };

  /// Opens a folder, and removes write permission from all users but its owner, who must be this
  /// user or root.
  /// \returns nothing if the folder does not exist, belongs to another user, or is a symbolic link
  static std::optional<CacheFolder> open(const std::filesystem::path &path);
  /// Creates the folder and its missing parents, and opens it.
  static std::optional<CacheFolder> make(const std::filesystem::path &path);

  /// Opens a regular file. Never blocks, unlike opening a FIFO.
  /// \returns nothing if the file does not exist, is not a regular file, or could have been written
  ///   by another user
  std::optional<Readable> read(const std::string &name) const;
  /// Creates or replaces the file; other processes see all of its bytes or none.
  void write(const std::string &name, std::string_view head, std::string_view body) const;
  /// Opens a file to lock, or creates it.
  /// \returns nothing if that is impossible, e.g. because the folder is read-only
  OpenFile openLock(const std::string &name) const;
  /// Returns true if the open file still has the name. Its number of links does not tell: on a
  /// fuse-overlayfs, it stays 1 when the file has lost its name.
  bool hasAs(const std::string &name, const OpenFile &file) const;
  void remove(const std::string &name) const;
  /// Returns the regular files.
  std::vector<File> files() const;

private:
  explicit CacheFolder(OpenFile folder) : folder_(std::move(folder)) {}

  OpenFile folder_;
};

} // namespace copse::disk_cache
