#pragma once

#include <popops/OperationDef.hpp>
#include <poputil/VertexTemplates.hpp>
#include <string>

namespace popops {

/// Returns the enumerator's name.
std::string toString(Operation op);

} // namespace popops

namespace poputil {

/// Writes an Operation as argument of a vertex type.
template <> struct VertexTemplateToString<popops::Operation> {
  /// Returns its C++ name.
  static std::string to_string(popops::Operation op) {
    return "popops::Operation::" + popops::toString(op);
  }
};

} // namespace poputil
