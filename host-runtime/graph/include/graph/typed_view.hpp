#pragma once

#include "graph/view.hpp"
#include "popc/vertex_type.hpp"

namespace copse::graph {

using popc::ElementType;

/// A view with its element type: what programs refer to.
struct TypedView {
  ElementType type = ElementType::Float;
  View view;
};

} // namespace copse::graph
