#pragma once

#include "worker_costs.hpp"

#include <optional>
#include <string_view>

namespace copse::popc {

/// Returns what a call of a function costs a worker, by its name in LLVM's text ("@expf",
/// "@llvm.sqrt.f32"). The table has functions of the C library, builtins, and operations that popc
/// inserts (popc/src/tile_arithmetic.hpp). Returns nothing for other functions.
std::optional<Issue> libraryCost(std::string_view name);

} // namespace copse::popc
