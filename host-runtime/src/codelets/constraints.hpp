#pragma once

#include "codelets/vertex_type.hpp"

namespace copse::codelets {

/// Checks that the constraints of a vertex class (guide, 3.2.2) name fields that it has. Forms
/// other than `elem(*a) != elem(*b)` and `region(*a) != region(*b)`, of whatever depth, are taken
/// as they are: constraints say where data would be fast to reach, and change no result. \throws
/// CompileError that names class, constraint and field
void checkConstraints(const VertexType &vertex);

} // namespace copse::codelets
