#pragma once

#include <iosfwd>
#include <string>

namespace copse::popc {

struct ObjdumpOptions {
  std::string path;   ///< of a .gp file
  std::string target; ///< as popc --target names it; empty: all
  std::string module; ///< as popc got it, without directories; empty: all
};

/// Writes the tile code of a .gp file as assembly source, which popc assembles to the same bytes.
/// \throws FileError if the file cannot be read, or holds no such code
void objdump(const ObjdumpOptions &options, std::ostream &out);

} // namespace copse::popc
