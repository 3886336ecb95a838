#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace copse::popc {

/// Returns LLVM's text of inline assembly that takes \p cycles on the tile and does nothing here.
std::string idleAssembly(unsigned cycles);

/// Returns the cycles of a call that idleAssembly() wrote, and 0 for other inline assembly, which
/// popc leaves only where a statement has no instructions.
/// \param call  the text after the opcode
/// \returns nothing for calls of functions
std::optional<unsigned> cyclesOfAssembly(std::string_view call);

} // namespace copse::popc
