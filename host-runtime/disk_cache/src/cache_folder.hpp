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

/// A file descriptor, closed with its owner.
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

/// A folder whose files only this user, or root, can have written.
///
/// Files are opened, moved and removed relative to the folder's descriptor: another user who can
/// rename a parent of the folder cannot lead this process to other files.
class CacheFolder {
public:
  struct File {
    std::string name;
    std::int64_t used;   ///< when the file was written or read last [ns since 1970]
    std::uint64_t bytes; ///< size
  };
  struct Readable {
    OpenFile file;
    std::uint64_t bytes; ///< size
  };

  /// Opens a folder. Takes the right to write there from all but its owner, who must be this user
  /// or root.
  /// \returns nothing if there is no such folder, or it is another user's, or a symbolic link
  static std::optional<CacheFolder> open(const std::filesystem::path &path);
  /// Makes the folder and its parents where they are missing, and opens it.
  static std::optional<CacheFolder> make(const std::filesystem::path &path);

  /// Opens a regular file. Never waits, as the opening of a FIFO would.
  /// \returns nothing if there is no such file, or it is of another kind, or another user could
  ///   have written it
  std::optional<Readable> read(const std::string &name) const;
  /// Makes the file, or replaces what has its name: other processes see all its bytes or none.
  void write(const std::string &name, std::string_view head, std::string_view body) const;
  void remove(const std::string &name) const;
  /// Regular files only.
  std::vector<File> files() const;

private:
  explicit CacheFolder(OpenFile folder) : folder_(std::move(folder)) {}

  OpenFile folder_;
};

} // namespace copse::disk_cache
