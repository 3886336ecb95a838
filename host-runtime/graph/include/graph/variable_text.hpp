#pragma once

#include "graph/model.hpp"

#include <string>

namespace copse::graph {

/// Returns how messages name a variable: "variable 'a'", "constant 'one'", or by type and shape if it has no name:
/// "a constant without a name (float {8})".
std::string variableText(const Variable &variable);

} // namespace copse::graph
