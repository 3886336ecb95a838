#include "executable_cache.hpp"

#include "disk_cache/build_id.hpp"
#include "disk_cache/digest.hpp"
#include "engine/executable_file.hpp"
#include "poplar/exceptions.hpp"

namespace copse::engine {
namespace {

std::string nameOf(const std::string &graphKey) {
  const std::string build = disk_cache::buildId();
  return build.empty() ? "" : disk_cache::sha256(build + ' ' + graphKey) + ".executable";
}

} // namespace

ExecutableCache::ExecutableCache(const std::string &graphKey) : name_(nameOf(graphKey)) {}

std::unique_ptr<poplar::Executable::Impl> ExecutableCache::find() const {
  if (name_.empty())
    return nullptr;
  const std::optional<std::string> file = files_.find(name_);
  if (!file)
    return nullptr;
  try {
    return readExecutable(*file);
  } catch (const poplar::file_load_error &) {
    return nullptr; // a damaged entry is treated as missing
  }
}

disk_cache::EntryLock ExecutableCache::lock() const {
  return name_.empty() ? disk_cache::EntryLock() : files_.lock(name_);
}

void ExecutableCache::keep(const poplar::Executable::Impl &executable) const {
  if (name_.empty())
    return;
  try {
    files_.keep(name_, [&](std::ostream &out) { writeExecutable(executable, out); });
  } catch (const poplar::poplar_error &) {
    // An image that is too large for the file format can still run.
  }
}

} // namespace copse::engine
