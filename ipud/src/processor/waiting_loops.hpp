#pragma once

#include "processor/issue.hpp"

#include <span>

namespace copse::ipud {

/// Returns true if one of \p issues ends a loop in which a worker waits for other workers: all
/// turns of the loop are equal until another worker stores what the loop loads.
/// \param issues   in ascending order
/// \param address  address of word 0
bool haveWaitingLoop(std::span<const Issue> issues, std::uint32_t address);

} // namespace copse::ipud
