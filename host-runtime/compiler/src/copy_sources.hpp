#pragma once

#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <limits>
#include <span>
#include <vector>

namespace copse::compiler {

inline constexpr graph::VariableId kNoSource = std::numeric_limits<graph::VariableId>::max();

/// Shape [variables]: the one variable of which each might be no more than another name. All that
/// ever writes it are copies of this variable, each element to the element of its number, and both
/// have the same tiles; so they may be one as long as nobody writes the source while the copy is
/// still read. That is how arguments reach a function. kNoSource: there is none. A source has none
/// itself.
std::vector<graph::VariableId> copySources(const graph::Model &model,
                                           std::span<const graph::ProgramPtr> programs,
                                           const VertexIndex &index);

} // namespace copse::compiler
