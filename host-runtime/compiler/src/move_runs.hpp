#pragma once

#include "wire/image.hpp"

#include <vector>

namespace copse::compiler {

/// Joins blocks of one size that go from one tile to one other tile at constant distances, as the
/// parts of a row do. Three or more such moves in succession become one. The order of the moves is
/// preserved.
std::vector<wire::Move> joinRuns(std::vector<wire::Move> moves);

} // namespace copse::compiler
