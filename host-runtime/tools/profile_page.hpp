#pragma once

#include <string>
#include <vector>

namespace copse::tools {

/// The options of `copse report`.
struct PageRequest {
  std::vector<std::string> profiles; ///< one or two: files, or directories that hold profile.pop
  std::string output;                ///< empty: report.html beside the last profile
  bool open = false;                 ///< opens the page in the user's browser
  /// Prints the figures, to standard output if there is no `output`.
  bool json = false;
};

/// Writes the page and prints its path.
/// \returns what main() returns
/// \throws std::exception saying which profile cannot be read, or that the page cannot be written
int writeProfilePage(const PageRequest &request);

} // namespace copse::tools
