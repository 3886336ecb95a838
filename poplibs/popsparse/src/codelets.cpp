#include "popsparse/codelets.hpp"

namespace popsparse {

// Each operation adds the group of codelets that it needs.
void addCodelets(poplar::Graph &) {}

} // namespace popsparse
