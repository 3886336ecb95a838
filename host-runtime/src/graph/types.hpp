#pragma once

#include "graph/model.hpp"
#include "values/element_type.hpp"

#include "poplar/Type.hpp"

#include <string>

namespace copse::graph {

/// \throws poplar::type_error for a default-constructed Type
inline ElementType elementTypeOf(const poplar::Type &type) { return values::elementType(type); }

inline poplar::Type poplarTypeOf(ElementType type) {
  return values::typeOf(type).value_or(poplar::Type());
}

/// As in C++ source: "unsigned int".
inline std::string nameOf(ElementType type) {
  return type == ElementType::Other ? "a struct" : std::string(poplarTypeOf(type).toString());
}

} // namespace copse::graph
