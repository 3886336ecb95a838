#include "variable_dump.hpp"

#include "variable_regions.hpp"

#include "graph/types.hpp"

#include <ostream>

namespace copse::compiler {

void dumpVariables(const graph::Model &model, const Placement &placement, std::ostream &out) {
  out << "variable\tname\ttype\tfrom\tto\tipu\ttile\taddress\tbytes\n";
  visitRegions(model, placement, [&](graph::VariableId v, const auto &piece, const auto &region) {
    const graph::Variable &variable = model.variables[v];
    out << v << '\t' << variable.name << '\t' << graph::nameOf(variable.type) << '\t' << piece.begin
        << '\t' << piece.end << '\t' << region.tile / model.tilesPerIpu << '\t'
        << region.tile % model.tilesPerIpu << "\t0x" << std::hex << region.address << std::dec
        << '\t' << region.bytes << '\n';
  });
}

} // namespace copse::compiler
