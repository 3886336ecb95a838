#include "disk_cache/file_cache.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>
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

/// Of a file that was not finished; one that was has another name by then.
struct Removal {
  const std::string &file;
  ~Removal() { ::unlink(file.c_str()); }
};

} // namespace

FileCache::FileCache(const std::string &kind) : limit_(limitMiB() * kMiB) {
  if (const fs::path folder = cacheFolder(); !folder.empty() && limit_ > 0)
    folder_ = folder / kind;
}

std::optional<std::string> FileCache::find(const std::string &name) const {
  if (folder_.empty())
    return std::nullopt;
  const fs::path file = folder_ / name;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? std::streamoff{in.tellg()} : -1;
  if (size < 0)
    return std::nullopt;
  std::string bytes(static_cast<std::size_t>(size), '\0');
  in.seekg(0);
  if (!in.read(bytes.data(), size))
    return std::nullopt;
  std::error_code ignored; // a folder that may only be read serves as well
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  return bytes;
}

void FileCache::keep(const std::string &name,
                     const std::function<void(std::ostream &)> &write) const {
  if (folder_.empty())
    return;
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path file = folder_ / name;
  std::string unfinished = file.string() + ".XXXXXX";
  const int fd = ::mkstemp(unfinished.data());
  if (fd < 0)
    return;
  ::close(fd);
  const Removal removal{unfinished};
  std::ofstream out(unfinished, std::ios::binary);
  write(out);
  out.close();
  if (out)
    fs::rename(unfinished, file, error);
  makeRoom();
}

/// Other processes may be at the same folder: a file may be gone at any time.
void FileCache::makeRoom() const {
  struct Entry {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path file;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    const std::uint64_t bytes = it->file_size(gone);
    const fs::file_time_type used = it->last_write_time(gone);
    if (gone)
      continue;
    entries.push_back({used, bytes, it->path()});
    total += bytes;
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (auto entry = entries.begin(); entry != entries.end() && total > limit_; ++entry) {
    fs::remove(entry->file, error);
    total -= entry->bytes;
  }
}

} // namespace copse::disk_cache
