#include "popc/include_folders.hpp"

#include <sstream>
#include <string_view>

namespace copse::popc {
namespace {

constexpr std::string_view kQuoted = "#include \"...\" search starts here:";
constexpr std::string_view kMissing = "ignoring nonexistent directory \"";

} // namespace

std::optional<IncludeFolders> includeFoldersIn(const std::string &messages) {
  IncludeFolders folders;
  bool inList = false;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    if (line == kQuoted)
      inList = true;
    else if (line == "End of search list.")
      return folders;
    else if (inList && line.starts_with(' '))
      folders.searched.push_back(line.substr(1));
    else if (line.starts_with(kMissing) && line.ends_with('"'))
      folders.missing.push_back(line.substr(kMissing.size(), line.size() - kMissing.size() - 1));
  }
  return std::nullopt;
}

} // namespace copse::popc
