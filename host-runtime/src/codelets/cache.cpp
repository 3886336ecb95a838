#include "codelets/cache.hpp"

#include "codelets/popc.hpp"

#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace copse::codelets {
namespace {

namespace fs = std::filesystem;

fs::path cacheFolder() {
  const auto variable = [](const char *name) {
    const char *value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  if (const fs::path own = variable("COPSE_CACHE_DIR"); !own.empty())
    return own;
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); !xdg.empty())
    return xdg / "copse";
  if (const fs::path home = variable("HOME"); !home.empty())
    return home / ".cache" / "copse";
  return {};
}

} // namespace

Cache::Cache() : folder_(cacheFolder()) {}

fs::path Cache::fileOf(const std::string &key) const {
  return folder_ / "codelets" / (key + ".gp");
}

std::optional<Module> Cache::find(const std::string &key) const {
  if (folder_.empty())
    return std::nullopt;
  std::ifstream in(fileOf(key), std::ios::binary);
  if (!in)
    return std::nullopt;
  try {
    std::vector<Module> modules = readGp(in, fileOf(key).string());
    if (modules.size() == 1)
      return std::move(modules.front());
  } catch (const FileError &) {
    // A damaged entry is as good as none: it will be made again.
  }
  return std::nullopt;
}

void Cache::keep(const std::string &key, const Module &module) const {
  if (folder_.empty())
    return;
  std::error_code error;
  const fs::path file = fileOf(key);
  fs::create_directories(file.parent_path(), error);
  std::string name = file.string() + ".XXXXXX";
  const int fd = ::mkstemp(name.data());
  if (fd < 0)
    return;
  ::close(fd);
  std::ofstream out(name, std::ios::binary);
  writeGp(out, {module});
  out.close();
  if (out)
    fs::rename(name, file, error);
  if (!out || error)
    fs::remove(name, error);
}

} // namespace copse::codelets
