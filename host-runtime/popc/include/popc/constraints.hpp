#pragma once

#include "popc/vertex_type.hpp"

#include <cstdint>
#include <vector>

namespace copse::popc {

/// Checks that the constraints of a vertex class (guide, 3.2.2) name fields that it has. It checks
/// only the forms `elem(*a) != elem(*b)` and `region(*a) != region(*b)`, of any depth, and accepts
/// all others.
/// \throws CompileError  which names the class, the constraint and the field
void checkConstraints(const VertexType &vertex);

/// Two fields whose data must lie in different memory elements, or in different regions.
struct FieldsApart {
  std::uint16_t a = 0, b = 0; ///< indices into VertexType::fields
  bool regions = false;
  friend bool operator==(const FieldsApart &, const FieldsApart &) = default;
};

/// Returns what the constraints of a vertex class demand of the data of its edges. A depth at which
/// a field holds pointers demands nothing, as all pointers lie in the vertex state.
std::vector<FieldsApart> fieldsApart(const VertexType &vertex);

} // namespace copse::popc
