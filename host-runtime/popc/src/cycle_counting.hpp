#pragma once

#include "popc/vertex_type.hpp"

#include <string>
#include <string_view>

namespace copse::popc {

/// LLVM's text of a module in which each function adds the worker cycles that its blocks take on
/// the tile to the count of the thread (wire/codelet_abi.hpp, kCycleOffsetSymbol). A function
/// counts in a variable of its own, which optimisers turn into products outside of counted loops,
/// and adds it up where it returns, and before calls that may look at the count.
/// \param module  simplified, but neither vectorised nor unrolled: what stands in it costs what
///        the tile's compiler would make of it
std::string withCycleCounting(const std::string &module, Architecture arch);

/// Functions that stand for an instruction of the tile are kept from being inlined, so that
/// withCycleCounting() finds their calls. What is counted then gives them back to be inlined.
std::string withBuiltinsApart(const std::string &module);
std::string withBuiltinsInline(const std::string &module);

/// Whether \p line of a module begins such a function: its callers count what it takes.
bool isHeaderOfBuiltin(std::string_view line);

} // namespace copse::popc
