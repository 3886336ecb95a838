#pragma once

#include "graph/model.hpp"

#include <string>

namespace copse::graph {

/// Returns the text by which messages name a variable: "variable 'a'", "constant 'one'". A variable
/// without a name is named by its type and shape: "a constant without a name (float {8})".
std::string variableText(const Variable &variable);

} // namespace copse::graph
