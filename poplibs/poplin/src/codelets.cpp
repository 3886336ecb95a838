#include "poplin/codelets.hpp"

#include "codelets.hpp"

#include <tile_work/codelet_groups.hpp>

namespace poplin {

// Each operation adds the group of codelets that it needs.
void addCodelets(poplar::Graph &) {}

void addConvolutionCodelets(poplar::Graph &graph) {
  copse::tile_work::addCodeletGroup(graph, "poplin", "convolution",
                                    "poplin::InnerProducts<float,float>");
}

} // namespace poplin
