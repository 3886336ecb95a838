#pragma once

#include "session/machine.hpp"

#include <cstdint>

namespace copse::tools {

/// Returns an executable whose program 0 lets every IPU send \p bytes to each of its neighbours, so
/// that every IPU-Link carries them in both directions. It has one replica of \p ipus IPUs.
session::Program linkProbe(wire::Topology topology, std::uint32_t ipus, std::uint32_t bytes);

} // namespace copse::tools
