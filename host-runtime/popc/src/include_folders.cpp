#include "popc/include_folders.hpp"

#include <sstream>
#include <string_view>

namespace copse::popc {
namespace {

constexpr std::string_view kQuoted = "#include \"...\" search starts here:";
constexpr std::string_view kMissing = "ignoring nonexistent directory \"";

constexpr std::string_view kEnd = "End of search list.";

/// Returns true for a driver's own message, which may stand within the output of -v.
bool isDiagnostic(std::string_view line) {
  return !line.starts_with(' ') && (line.find("error: ") != std::string_view::npos ||
                                    line.find("warning: ") != std::string_view::npos ||
                                    line.find("note: ") != std::string_view::npos);
}

} // namespace

std::optional<IncludeFolders> includeFoldersIn(const std::string &messages) {
  IncludeFolders folders;
  bool inList = false;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    if (line == kQuoted)
      inList = true;
    else if (line == kEnd)
      return folders;
    else if (inList && line.starts_with(' '))
      folders.searched.push_back(line.substr(1));
    else if (line.starts_with(kMissing) && line.ends_with('"'))
      folders.missing.push_back(line.substr(kMissing.size(), line.size() - kMissing.size() - 1));
  }
  return std::nullopt;
}

std::string withoutVerbosity(const std::string &messages) {
  const std::size_t last = messages.find(std::string(kEnd) + "\n");
  // A driver that fails does not print this line.
  const std::size_t end = last == std::string::npos ? messages.size() : last + kEnd.size() + 1;
  std::string kept;
  std::istringstream lines(messages.substr(0, end));
  for (std::string line; std::getline(lines, line);)
    if (isDiagnostic(line))
      kept += line + "\n";
  kept += messages.substr(end);
  return last == std::string::npos && kept.empty() ? messages : kept;
}

} // namespace copse::popc
