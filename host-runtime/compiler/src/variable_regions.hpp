#pragma once

#include "compiler/placement.hpp"
#include "graph/model.hpp"

#include <vector>

namespace copse::compiler {

/// Calls \p visit(variable, piece, region) for each region of each mapped piece of each variable,
/// in this order.
template <class Visit>
void visitRegions(const graph::Model &model, const Placement &placement, const Visit &visit) {
  std::vector<wire::Region> regions;
  for (graph::VariableId v = 0; v < model.variables.size(); ++v) {
    const graph::Variable &variable = model.variables[v];
    for (const auto &piece : variable.tiles.pieces(0, variable.elements)) {
      if (piece.tile == graph::kNoTile)
        continue;
      const graph::Run run{v, piece.begin, piece.end - piece.begin, 1};
      regions.clear();
      placement.locate({&run, 1}, variable.name, regions);
      for (const wire::Region &region : regions)
        visit(v, piece, region);
    }
  }
}

} // namespace copse::compiler
