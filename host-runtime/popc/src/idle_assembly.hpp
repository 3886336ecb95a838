#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace copse::popc {

/// LLVM's text of a statement of inline assembly that takes \p cycles on the tile, and nothing here.
std::string idleAssembly(unsigned cycles);

/// The cycles of a call that idleAssembly() wrote, and 0 of other inline assembly, which popc leaves only where a statement
/// has no instructions.
/// \param call  what stands behind the opcode
/// \returns nothing for calls of functions
std::optional<unsigned> cyclesOfAssembly(std::string_view call);

} // namespace copse::popc
