#include "tile/cycle_count.hpp"

namespace copse::ipud {

constinit thread_local unsigned long long CycleCount::ofThread = 0;

} // namespace copse::ipud
