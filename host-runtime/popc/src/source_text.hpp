#pragma once

#include "popc/popc.hpp"

#include <string>
#include <vector>

namespace copse::popc {

/// The texts that popc can write in place of a .gp file.
enum class SourceText {
  Preprocessed,
  /// Native assembly, in place of the tile's. For sources in tile assembly: the preprocessed text.
  Assembly
};

/// Returns the text of each source for each target. If there are several, a comment precedes each.
/// \throws CompileError
std::string textOf(const std::vector<Source> &sources, const CompileOptions &options,
                   SourceText kind);

} // namespace copse::popc
