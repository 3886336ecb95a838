#pragma once

#include <string>

namespace copse::popc {

/// Removes attributes that only a tile's compiler knows, such as target("supervisor"), and that are
/// errors for clang. Lines keep their numbers.
std::string withoutTileAttributes(std::string text);

} // namespace copse::popc
