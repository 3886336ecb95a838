#pragma once

#include <iosfwd>
#include <string>

namespace copse::popc {

struct ObjdumpOptions {
  std::string path;   ///< the .gp file
  std::string target; ///< a target as popc --target names it; empty: all
  std::string module; ///< the name of a source, without directories; empty: all
};

/// Writes the tile code of a .gp file as assembly source. popc assembles this source to the
/// identical bytes.
/// \throws FileError  if the file cannot be read, or contains no tile code
void objdump(const ObjdumpOptions &options, std::ostream &out);

} // namespace copse::popc
