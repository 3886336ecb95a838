#pragma once

#include "figures.hpp"

#include <vector>

namespace copse::accuracy {

/// Returns the worker cycles of one turn of each loop. Their codelets are compiled together, and one
/// engine runs all. Parameters of a figure: "inputs" and "outputs", types by name of field; "code", the
/// loop; "elements", by which a turn goes on.
std::vector<double> loopCycles(const std::vector<Figure> &loops);

} // namespace copse::accuracy
