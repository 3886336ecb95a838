#pragma once

#include "worker_costs.hpp"

#include <optional>
#include <string_view>

namespace copse::popc {

/// What one call of a function of the C library, of a builtin, or of an operation that popc puts in
/// (popc/src/tile_arithmetic.hpp) costs a worker, by its name in LLVM's text: "@expf",
/// "@llvm.sqrt.f32". Nothing for functions that are not in the table.
std::optional<Issue> libraryCost(std::string_view name);

} // namespace copse::popc
