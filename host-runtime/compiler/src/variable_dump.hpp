#pragma once

#include "compiler/placement.hpp"
#include "graph/model.hpp"

#include <iosfwd>

namespace copse::compiler {

/// Writes the location of every variable as tab-separated text with a heading: number, name, type,
/// first and last element, IPU, tile, address and bytes.
void dumpVariables(const graph::Model &model, const Placement &placement, std::ostream &out);

} // namespace copse::compiler
