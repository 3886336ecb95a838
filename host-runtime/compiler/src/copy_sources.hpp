#pragma once

#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <limits>
#include <span>
#include <vector>

namespace copse::compiler {

inline constexpr graph::VariableId kNoSource = std::numeric_limits<graph::VariableId>::max();

/// Returns for each variable the only variable that it copies, or kNoSource, shape [variables]. The
/// variable is written only by copies of that source, each element from the element with its
/// number, and both have equal tile mappings. Copy and source can therefore share memory while the
/// source is not written and the copy is still read. This is how arguments reach a function. A
/// source has no source itself.
std::vector<graph::VariableId> copySources(const graph::Model &model,
                                           std::span<const graph::ProgramPtr> programs,
                                           const VertexIndex &index);

} // namespace copse::compiler
