#pragma once

#include <string>
#include <vector>

namespace copse::popc {

/// The input of a compilation: enough to repeat it without the headers.
struct PackedSource {
  std::string path, directory;    ///< as in TranslationUnit
  std::vector<std::string> flags; ///< as in TranslationUnit
  std::string text;               ///< expanded, including its entry points
};

/// Compresses a source for a .gp file.
std::string packed(const PackedSource &source);
/// Restores a source that packed() has compressed.
/// \throws FileError  for any other \p bytes
PackedSource unpacked(const std::string &bytes);

} // namespace copse::popc
