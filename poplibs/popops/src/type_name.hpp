#pragma once

#include <poplar/Type.hpp>
#include <string>

namespace copse::element_expr {

/// Returns the type as sources and messages write it: "float".
inline std::string nameOf(const poplar::Type &type) { return type.toString().cloneAsString(); }

} // namespace copse::element_expr
