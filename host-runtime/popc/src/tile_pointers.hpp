#pragma once

#include <string>

namespace copse::popc {

/// LLVM's text of a module in which pointers that become integers of 32 bits have the tile's
/// addresses, as code keeps them for instructions of the tile.
/// \param module  as clang writes it, before any optimisation
std::string withTilePointers(const std::string &module);

} // namespace copse::popc
