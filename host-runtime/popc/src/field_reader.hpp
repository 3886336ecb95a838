#pragma once

#include "popc/vertex_type.hpp"

#include <clang-c/Index.h>

namespace copse::popc {

/// Reads a data member of a vertex class. `offset` stays 0, because it depends on the class.
/// \param declaration  a field of a class without dependent types
Field readField(CXCursor declaration, Architecture arch);

} // namespace copse::popc
