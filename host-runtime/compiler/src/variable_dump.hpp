#pragma once

#include "compiler/placement.hpp"
#include "graph/model.hpp"

#include <iosfwd>

namespace copse::compiler {

/// Where every variable lies, as lines of tab-separated text with a heading: its number, name,
/// type, elements from and to, IPU, tile, address and bytes.
void dumpVariables(const graph::Model &model, const Placement &placement, std::ostream &out);

} // namespace copse::compiler
