#pragma once

#include "graph/model.hpp"

#include <optional>

namespace copse::compiler {

/// Returns the graph with values of input fields and of nested state rows replaced by connected
/// constants on the tile of their vertex. A field that is already connected keeps its connection.
/// \returns nothing if there are no such values
std::optional<graph::Model> withInputConstants(const graph::Model &model);

} // namespace copse::compiler
