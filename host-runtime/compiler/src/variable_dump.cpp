#include "variable_dump.hpp"

#include "graph/types.hpp"

#include <ostream>

namespace copse::compiler {

void dumpVariables(const graph::Model &model, const Placement &placement, std::ostream &out) {
  out << "variable\tname\ttype\tfrom\tto\tipu\ttile\taddress\tbytes\n";
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
        out << v << '\t' << variable.name << '\t' << graph::nameOf(variable.type) << '\t'
            << piece.begin << '\t' << piece.end << '\t' << region.tile / model.tilesPerIpu << '\t'
            << region.tile % model.tilesPerIpu << "\t0x" << std::hex << region.address << std::dec
            << '\t' << region.bytes << '\n';
    }
  }
}

} // namespace copse::compiler
