#include "graph/variable_text.hpp"

#include "tensor_checks.hpp"

#include "graph/types.hpp"

namespace copse::graph {

std::string variableText(const Variable &variable) {
  const std::string kind = variable.constant ? "constant" : "variable";
  if (!variable.name.empty())
    return kind + " '" + variable.name + "'";
  return "a " + kind + " without a name (" + nameOf(variable.type) + " " +
         shapeText(variable.shape) + ")";
}

} // namespace copse::graph
