#pragma once

#include "wire/image.hpp"

#include <vector>

namespace copse::compiler {

/// Joins blocks of one size that go from one tile to one other at constant distances, as parts of rows do: three
/// and more of them in succession become one move. The order of the moves stays as it is.
std::vector<wire::Move> joinRuns(std::vector<wire::Move> moves);

} // namespace copse::compiler
