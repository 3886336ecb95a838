#pragma once

#include <string>
#include <string_view>

namespace copse::popc {

/// Messages about code that runs here and would not on a tile, or differently.
struct TileLimitMessages {
  std::string errors;   ///< thread_local variables, which the tile does not have
  std::string warnings; ///< variables that code writes: on the chip each tile has its own, here
                        ///< all tiles and threads of a process share one; and uses of the heap
};

/// \param module  in LLVM's text, simplified, so that a variable that nothing writes is a constant
/// \param source  its file
TileLimitMessages messagesOfTileLimits(std::string_view module, const std::string &source);

} // namespace copse::popc
