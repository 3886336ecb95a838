#include "popnn/codelets.hpp"

namespace popnn {

// Each function adds the group of codelets that it needs.
void addCodelets(poplar::Graph &) {}

} // namespace popnn
