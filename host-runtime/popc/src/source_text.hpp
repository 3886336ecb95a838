#pragma once

#include "popc/popc.hpp"

#include <string>
#include <vector>

namespace copse::popc {

/// The texts of sources that popc writes in place of a .gp file.
enum class SourceText {
  Preprocessed,
  Assembly ///< of this machine, which stands for the tile's; of sources in tile assembly, the preprocessed text
};

/// Each source for each target; where there are several, a comment names them.
/// \throws CompileError
std::string textOf(const std::vector<Source> &sources, const CompileOptions &options,
                   SourceText kind);

} // namespace copse::popc
