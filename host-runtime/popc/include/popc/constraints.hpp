#pragma once

#include "popc/vertex_type.hpp"

#include <cstdint>
#include <vector>

namespace copse::popc {

/// Checks that the constraints of a vertex class (guide, 3.2.2) name fields that it has. Forms
/// other than `elem(*a) != elem(*b)` and `region(*a) != region(*b)`, of whatever depth, are taken
/// as they are.
/// \throws CompileError that names class, constraint and field
void checkConstraints(const VertexType &vertex);

/// The data of two fields must lie in different memory elements, or in different regions.
struct FieldsApart {
  std::uint16_t a = 0, b = 0; ///< into VertexType::fields
  bool regions = false;
  friend bool operator==(const FieldsApart &, const FieldsApart &) = default;
};

/// What the constraints of a vertex class ask of the data of its edges. A depth at which a field
/// has pointers instead of data asks for nothing: all of them lie in the vertex state.
std::vector<FieldsApart> fieldsApart(const VertexType &vertex);

} // namespace copse::popc
