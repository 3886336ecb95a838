#pragma once

#include "graph/model.hpp"

#include <optional>

namespace copse::compiler {

/// The same graph, in which values of input fields and the rows of nested state are constants: each
/// on the tile of its vertex, and connected. A field that is connected to something keeps that.
/// \returns nothing if there are no such values
std::optional<graph::Model> withInputConstants(const graph::Model &model);

} // namespace copse::compiler
