#pragma once

#include "figures.hpp"

#include <vector>

namespace copse::accuracy {

/// Returns the worker cycles of one turn of each loop. The codelets are compiled together and run
/// by one engine. Parameters of a figure: "inputs" and "outputs", types by name of field; "code",
/// the loop; "elements", the number of elements that one turn processes.
std::vector<double> loopCycles(const std::vector<Figure> &loops);

} // namespace copse::accuracy
