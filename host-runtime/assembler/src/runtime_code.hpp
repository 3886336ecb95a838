#pragma once

#include "assembler/object.hpp"

#include <string_view>

namespace copse::assembler {

/// What code that checks its stack compares its growth with: one more than any function of the
/// program declares [bytes].
inline constexpr std::string_view kStackGrowthLimit = "__worker_stack_max_growth_plus_one";
/// Where such code goes when it has grown too far.
inline constexpr std::string_view kStackOverflow = "_stackoverflow";

/// Copies $m8 bytes from $m0 to $m1, of any alignment; returns to $lr, with other values in $m0 to
/// $m8. Assembly of libraries calls it.
inline constexpr std::string_view kLongMemcpy = "_Longmemcpy_entry";

/// Defines kLongMemcpy and kStackOverflow, a trap that the error names.
const Object &runtimeCode();

} // namespace copse::assembler
