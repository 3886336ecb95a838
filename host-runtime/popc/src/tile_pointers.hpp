#pragma once

#include <string>

namespace copse::popc {

/// Code keeps pointers in integers of 32 bits for instructions of the tile. Returns LLVM's text of
/// a module in which such integers are addresses of the tile.
/// \param module  unoptimised output of clang
std::string withTilePointers(const std::string &module);

} // namespace copse::popc
