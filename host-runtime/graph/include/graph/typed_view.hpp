#pragma once

#include "graph/view.hpp"
#include "popc/vertex_type.hpp"

namespace copse::graph {

using popc::ElementType;

/// A view with its element type, to which programs refer.
struct TypedView {
  ElementType type = ElementType::Float;
  View view;
};

} // namespace copse::graph
