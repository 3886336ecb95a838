#pragma once

namespace copse::wire {

/// Native modules whose accesses are checked (codelet_abi.hpp, CheckAccessFunction) export this symbol, a byte. Of others
/// an ipud takes it that their vertices write all that they may.
inline constexpr char kCheckedCodeSymbol[] = "__copseCheckedCode";

} // namespace copse::wire
