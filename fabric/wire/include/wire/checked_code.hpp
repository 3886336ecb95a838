#pragma once

namespace copse::wire {

/// A native module whose accesses are checked (codelet_abi.hpp, CheckAccessFunction) exports this
/// symbol, a byte. For other modules, ipud assumes that vertices write everything that they may
/// write.
inline constexpr char kCheckedCodeSymbol[] = "__copseCheckedCode";

} // namespace copse::wire
