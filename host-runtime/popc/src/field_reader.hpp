#pragma once

#include "popc/vertex_type.hpp"

#include <clang-c/Index.h>

namespace copse::popc {

/// What a data member of a vertex class is. `offset` is left at 0: that is a matter of the class.
/// \param declaration  a field of a class without dependent types
Field readField(CXCursor declaration, Architecture arch);

} // namespace copse::popc
