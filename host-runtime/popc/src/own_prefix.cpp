#include "own_prefix.hpp"

#include <dlfcn.h>
#include <string_view>
#include <system_error>

namespace copse::popc {

namespace fs = std::filesystem;

std::optional<fs::path> ownPrefix() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void *>(&ownPrefix), &info) == 0)
    return std::nullopt;
  // A program's own name is the word that called it, which is no path if the PATH was searched.
  const std::string_view name = info.dli_fname;
  const bool isPath = name.find('/') != std::string_view::npos;
  std::error_code error;
  const fs::path self = fs::canonical(isPath ? name : "/proc/self/exe", error);
  return error ? std::nullopt : std::optional(self.parent_path().parent_path());
}

} // namespace copse::popc
