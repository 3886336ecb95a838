#pragma once

#include "fabric/topology.hpp"
#include "session/machine.hpp"

#include <cstdint>

namespace copse::tools {

/// Returns an executable whose program 0 lets every IPU send \p bytes to each of its neighbours, so
/// that every link carries them in both directions. All IPUs are one replica.
session::Program linkProbe(const fabric::Wiring &wiring, std::uint32_t bytes);

} // namespace copse::tools
