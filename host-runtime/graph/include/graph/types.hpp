#pragma once

#include "graph/model.hpp"
#include "poplar/Type.hpp"
#include "types/element_type.hpp"

#include <string>

namespace copse::graph {

/// \throws poplar::type_error for a default-constructed Type
inline ElementType elementTypeOf(const poplar::Type &type) { return types::elementType(type); }

inline poplar::Type poplarTypeOf(ElementType type) {
  return types::typeOf(type).value_or(poplar::Type());
}

/// Returns the name in C++ source: "unsigned int".
inline std::string nameOf(ElementType type) {
  return type == ElementType::Other ? "a struct" : std::string(poplarTypeOf(type).toString());
}

} // namespace copse::graph
