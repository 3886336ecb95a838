#include "cache.hpp"

#include "popc_code.hpp"

#include "popc/popc.hpp"

#include <sstream>

namespace copse::popc {
namespace {

std::string nameOf(const std::string &key) { return key + ".gp"; }

} // namespace

std::string Cache::ownCode() { return kPopcCode; }

std::optional<Module> Cache::find(const std::string &key) const {
  std::optional<std::string> file = files_.find(nameOf(key));
  if (!file)
    return std::nullopt;
  try {
    std::istringstream in(std::move(*file));
    std::vector<Module> modules = readGp(in, nameOf(key));
    if (modules.size() == 1)
      return std::move(modules.front());
  } catch (const FileError &) {
    // A damaged entry counts as missing: it will be made again.
  }
  return std::nullopt;
}

void Cache::keep(const std::string &key, const Module &module) const {
  files_.keep(nameOf(key), [&](std::ostream &out) { writeGp(out, {module}); });
}

} // namespace copse::popc
