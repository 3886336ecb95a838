#include "disk_cache/file_cache.hpp"

#include "cache_folder.hpp"
#include "entry_head.hpp"
#include "entry_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <new>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace copse::disk_cache {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kDefaultLimitMiB = 4096, kMaxLimitMiB = UINT64_MAX / kMiB;

std::string_view variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

fs::path cacheFolder() {
  if (const fs::path own = variable("COPSE_CACHE_DIR"); !own.empty())
    return own;
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); !xdg.empty())
    return xdg / "copse";
  if (const fs::path home = variable("HOME"); !home.empty())
    return home / ".cache" / "copse";
  return {};
}

std::uint64_t limitMiB() {
  const std::string_view text = variable("COPSE_CACHE_MIB");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && end == text.data() + text.size();
  return good ? std::min(value, kMaxLimitMiB) : kDefaultLimitMiB;
}

/// Reads the next bytes of a file.
/// \returns true if the file had enough bytes for all of \p bytes
bool readAll(int file, std::string &bytes) {
  for (std::size_t have = 0; have < bytes.size();) {
    const ssize_t got = ::read(file, bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    have += static_cast<std::size_t>(got);
  }
  return true;
}

} // namespace

FileCache::FileCache(const std::string &kind) : kind_(kind), limit_(limitMiB() * kMiB) {
  if (const fs::path folder = cacheFolder(); !folder.empty() && limit_ > 0)
    folder_ = folder / kind;
}

std::optional<std::string> FileCache::find(const std::string &name) const try {
  const auto folder = folder_.empty() ? std::nullopt : CacheFolder::open(folder_);
  const auto entry = folder ? folder->read(name) : std::nullopt;
  const std::string title = kind_ + "/" + name;
  const std::size_t headBytes = headBytesOf(title);
  if (!entry || entry->bytes < headBytes || entry->bytes > limit_)
    return std::nullopt;
  std::string head(headBytes, '\0');
  const std::uint64_t bodyBytes = entry->bytes - headBytes;
  if (!readAll(entry->file.number(), head) || !isHeadOf(head, title, bodyBytes))
    return std::nullopt;
  std::string body(bodyBytes, '\0');
  if (!readAll(entry->file.number(), body) || head != headOf(title, body))
    return std::nullopt;
  ::futimens(entry->file.number(), nullptr); // fails in a read-only folder, which is fine
  return body;
} catch (const std::bad_alloc &) {
  return std::nullopt;
}

void FileCache::keep(const std::string &name,
                     const std::function<void(std::ostream &)> &write) const {
  if (folder_.empty())
    return;
  std::ostringstream body;
  write(body);
  const auto folder = CacheFolder::make(folder_);
  if (!folder || !body)
    return;
  folder->write(name, headOf(kind_ + "/" + name, body.view()), body.view());
  makeRoom(*folder);
}

EntryLock FileCache::lock(const std::string &name, std::chrono::milliseconds longest) const {
  auto folder = folder_.empty() ? std::nullopt : CacheFolder::make(folder_);
  return folder ? EntryLock(EntryLock::Held::waitFor(std::move(*folder), name, longest))
                : EntryLock();
}

/// Deletes old files. Other processes may use the folder, so files may vanish at any time.
void FileCache::makeRoom(const CacheFolder &folder) const {
  std::vector<CacheFolder::File> entries = folder.files();
  std::uint64_t total = 0;
  for (const CacheFolder::File &entry : entries)
    total += entry.bytes;
  std::sort(entries.begin(), entries.end(),
            [](const auto &a, const auto &b) { return a.used < b.used; });
  for (auto entry = entries.begin(); entry != entries.end() && total > limit_; ++entry) {
    folder.remove(entry->name);
    total -= entry->bytes;
  }
}

} // namespace copse::disk_cache
