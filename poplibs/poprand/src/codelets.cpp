#include "poprand/codelets.hpp"

namespace poprand {

// Each function adds the group of codelets that it needs.
void addCodelets(poplar::Graph &) {}

} // namespace poprand
