#pragma once

#include <popops/OperationDef.hpp>
#include <poputil/VertexTemplates.hpp>
#include <string>

namespace popops {

/// The enumerator's name.
std::string toString(Operation op);

} // namespace popops

namespace poputil {

template <> struct VertexTemplateToString<popops::Operation> {
  static std::string to_string(popops::Operation op) {
    return "popops::Operation::" + popops::toString(op);
  }
};

} // namespace poputil
