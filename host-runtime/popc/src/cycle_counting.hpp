#pragma once

#include "popc/vertex_type.hpp"

#include <string>
#include <string_view>

namespace copse::popc {

/// Inserts code that counts worker cycles. In the returned LLVM text, each function adds the cycles
/// that its blocks take on the tile to the thread's count (wire/codelet_abi.hpp,
/// kCycleOffsetSymbol). A function counts in a variable of its own, which optimisers turn into
/// products outside of counted loops. It adds the variable to the thread's count where it returns,
/// and before calls that may read the count.
/// \param module  simplified, but neither vectorised nor unrolled: its instructions are taken for
///   what the tile's compiler would make of the source
std::string withCycleCounting(const std::string &module, Architecture arch);

/// Returns true if \p line begins the definition of such a function, whose cycles are counted by
/// its callers.
bool isHeaderOfBuiltin(std::string_view line);

} // namespace copse::popc
