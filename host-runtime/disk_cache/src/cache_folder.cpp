#include "cache_folder.hpp"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <random>
#include <sys/stat.h>

namespace copse::disk_cache {
namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

/// Returns true if the file belongs to this user or root.
bool isTrusted(const struct stat &file) { return file.st_uid == ::geteuid() || file.st_uid == 0; }

bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string unfinishedName(const std::string &name) {
  std::random_device device;
  return name + "." + std::to_string(device()) + ".new";
}

} // namespace

std::optional<CacheFolder> CacheFolder::open(const std::filesystem::path &path) {
  OpenFile folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!folder || ::fstat(folder.number(), &info) != 0 || !isTrusted(info))
    return std::nullopt;
  if ((info.st_mode & kOthersWrite) != 0 &&
      ::fchmod(folder.number(), info.st_mode & 07777 & ~kOthersWrite) != 0)
    return std::nullopt;
  return CacheFolder(std::move(folder));
}

std::optional<CacheFolder> CacheFolder::make(const std::filesystem::path &path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error); // on failure mkdir() fails too
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return std::nullopt;
  return open(path);
}

std::optional<CacheFolder::Readable> CacheFolder::read(const std::string &name) const {
  struct stat info {};
  const int folder = folder_.number();
  // Opening a device may have effects, so check the file's kind first.
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
    return std::nullopt;
  OpenFile file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  const bool isGood = file && ::fstat(file.number(), &info) == 0 && S_ISREG(info.st_mode) &&
                      isTrusted(info) && (info.st_mode & kOthersWrite) == 0;
  if (!isGood)
    return std::nullopt;
  return Readable{std::move(file), static_cast<std::uint64_t>(info.st_size)};
}

void CacheFolder::write(const std::string &name, std::string_view head,
                        std::string_view body) const {
  const int folder = folder_.number();
  const std::string unfinished = unfinishedName(name);
  const OpenFile file(::openat(folder, unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                               S_IRUSR | S_IWUSR));
  if (!file)
    return;
  const bool isWhole = writeAll(file.number(), head) && writeAll(file.number(), body);
  const auto rename = [&] {
    return ::renameat(folder, unfinished.c_str(), folder, name.c_str()) == 0;
  };
  if (isWhole && rename())
    return;
  // A folder would block the entry for ever.
  if (isWhole && errno == EISDIR) {
    remove(name);
    if (rename())
      return;
  }
  ::unlinkat(folder, unfinished.c_str(), 0);
}

OpenFile CacheFolder::openLock(const std::string &name) const {
  return OpenFile(::openat(folder_.number(), name.c_str(),
                           O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                           S_IRUSR | S_IWUSR));
}

bool CacheFolder::hasAs(const std::string &name, const OpenFile &file) const {
  struct stat named {};
  struct stat open {};
  return ::fstatat(folder_.number(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(file.number(), &open) == 0 && named.st_dev == open.st_dev &&
         named.st_ino == open.st_ino;
}

void CacheFolder::remove(const std::string &name) const {
  if (::unlinkat(folder_.number(), name.c_str(), 0) == 0 || errno != EISDIR)
    return;
  // Remove only an empty folder; a folder with content may be the user's.
  ::unlinkat(folder_.number(), name.c_str(), AT_REMOVEDIR);
}

std::vector<CacheFolder::File> CacheFolder::files() const {
  std::vector<File> all;
  const int own = ::openat(folder_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR *)> list(own < 0 ? nullptr : ::fdopendir(own), ::closedir);
  while (const dirent *entry = list ? ::readdir(list.get()) : nullptr) {
    struct stat info {};
    if (::fstatat(folder_.number(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode))
      continue;
    all.push_back({entry->d_name,
                   info.st_mtim.tv_sec * kNanosecondsPerSecond + info.st_mtim.tv_nsec,
                   static_cast<std::uint64_t>(info.st_size)});
  }
  return all;
}

} // namespace copse::disk_cache
