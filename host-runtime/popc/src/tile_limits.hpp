#pragma once

#include <string>
#include <string_view>

namespace copse::popc {

/// Messages about code that runs here, but not on a tile, or differently.
struct TileLimitMessages {
  std::string errors; ///< about thread_local variables, which the tile does not have
  /// About variables that code writes, as each tile of the chip has its own, but all tiles and
  /// threads of a process share one here; and about uses of the heap.
  std::string warnings;
};

/// Finds such code in \p module.
/// \param module  LLVM's text, simplified, so that a variable that is never written is a constant
/// \param source  name of its file
TileLimitMessages messagesOfTileLimits(std::string_view module, const std::string &source);

} // namespace copse::popc
