#pragma once

#include "map_codelet.hpp"

#include <string>
#include <vector>

namespace copse::element_expr {

/// Types that there is a file of compiled codelets for.
const std::vector<poplar::Type> &commonTypes();

/// Returns all operations and casts that take \p type, alone, on whole tensors and single elements:
/// the build compiles them into map_<type>.gp.
std::vector<MapCodelet> commonCodelets(const poplar::Type &type);

/// Returns the file that may have the codelet of \p expression; empty if none has.
std::string groupOf(const TypedNode &expression);
std::string groupOf(const poplar::Type &type);

} // namespace copse::element_expr
