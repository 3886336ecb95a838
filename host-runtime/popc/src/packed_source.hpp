#pragma once

#include <string>
#include <vector>

namespace copse::popc {

/// What a source was compiled from: enough to compile it again, without its headers.
struct PackedSource {
  std::string path, directory;    ///< of TranslationUnit
  std::vector<std::string> flags; ///< likewise
  std::string text;               ///< expanded, with its entry points
};

/// As compressed bytes, for a .gp file.
std::string packed(const PackedSource &source);
/// \throws FileError if \p bytes are none that packed() has made
PackedSource unpacked(const std::string &bytes);

} // namespace copse::popc
