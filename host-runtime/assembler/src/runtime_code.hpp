#pragma once

#include "assembler/object.hpp"

#include <string_view>

namespace copse::assembler {

/// The limit for the growth of the stack, used by code that checks its stack: the largest declared
/// stack of the program, plus 1 [bytes].
inline constexpr std::string_view kStackGrowthLimit = "__worker_stack_max_growth_plus_one";
/// The target of such code when its stack has grown too far.
inline constexpr std::string_view kStackOverflow = "_stackoverflow";

/// Copies $m8 bytes from $m0 to $m1, with any alignment. Returns to $lr; overwrites $m0 to $m8.
/// Called by assembly of libraries.
inline constexpr std::string_view kLongMemcpy = "_Longmemcpy_entry";

/// Returns code that defines kLongMemcpy and kStackOverflow, a trap that error messages name.
const Object &runtimeCode();

} // namespace copse::assembler
