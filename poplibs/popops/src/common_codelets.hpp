#pragma once

#include "map_codelet.hpp"

#include <string>
#include <vector>

namespace copse::element_expr {

/// The element types that have a file of compiled codelets.
const std::vector<poplar::Type> &commonTypes();

/// Returns a codelet for each single operation and cast that takes \p type, for operands that are
/// whole tensors or single elements. The build compiles them into map_<type>.gp, so that common
/// operations need no compiler at run time.
std::vector<MapCodelet> commonCodelets(const poplar::Type &type);

/// Returns the file that may have the codelet of \p expression; empty if none has.
std::string groupOf(const TypedNode &expression);
std::string groupOf(const poplar::Type &type);

} // namespace copse::element_expr
