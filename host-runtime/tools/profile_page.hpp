#pragma once

#include <string>
#include <vector>

namespace copse::tools {

/// What `copse report` is asked for.
struct PageRequest {
  std::vector<std::string> profiles; ///< one or two: files, or directories that hold profile.pop
  std::string output;                ///< empty: report.html beside the last profile
  bool open = false;                 ///< in the user's browser
  bool json = false;                 ///< the figures, to standard output if there is no `output`
};

/// Writes the page and prints its path.
/// \returns what main() returns
/// \throws std::exception that says which profile cannot be read, or that the page cannot be written
int writeProfilePage(const PageRequest &request);

} // namespace copse::tools
