#pragma once

#include <iosfwd>

namespace popops {

/// The orders of results.
enum class SortOrder { NONE, ASCENDING, DESCENDING };

/// Writes the enumerator's name.
std::ostream &operator<<(std::ostream &out, SortOrder order);

} // namespace popops
