#pragma once

#include "session/machine.hpp"

#include <cstdint>

namespace copse::tools {

/// A program (number 0) in which every IPU sends \p bytes to each of its neighbours, so that every
/// IPU-Link carries them in both directions. One replica of \p ipus IPUs.
session::Program linkProbe(wire::Topology topology, std::uint32_t ipus, std::uint32_t bytes);

} // namespace copse::tools
