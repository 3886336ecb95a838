#pragma once

#include <iosfwd>
#include <popops/OperationDef.hpp>

namespace popops {

/// Writes the enumerator's name.
std::ostream &operator<<(std::ostream &out, Operation op);

} // namespace popops
