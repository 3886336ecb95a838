#include "popops/codelets.hpp"

namespace popops {

// Each operation adds the group of codelets that it needs (tile_work/codelet_groups.hpp): a program
// of two operations does not load hundreds of vertex types.
void addCodelets(poplar::Graph &) {}

} // namespace popops
