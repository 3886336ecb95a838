#pragma once

#include <vector>

namespace copse::engine {

/// How many IPUs this host program can have: $COPSE_IPUS, else 16. With no cluster configured they
/// are processes that it starts for itself, so that programs do not compete for them. \throws
/// poplar::no_environment if $COPSE_IPUS is no number from 1 to 64
unsigned ipusOfThisMachine();

/// Takes \p ipus for one Device object, all or none. \returns false if another one of this process
/// has one of them
bool takeIpus(const std::vector<unsigned> &ipus);
void returnIpus(const std::vector<unsigned> &ipus);

} // namespace copse::engine
