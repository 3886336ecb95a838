#pragma once

#include "popc/vertex_type.hpp"

#include <clang/AST/Decl.h>

namespace copse::popc {

/// Reads a data member of a vertex class. `offset` stays 0, because it depends on the class.
/// \param declaration  a field of a class without dependent types
Field readField(const clang::FieldDecl &declaration, Architecture arch);

} // namespace copse::popc
