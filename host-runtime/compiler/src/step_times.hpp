#pragma once

#include "compiler/liveness.hpp"
#include "compiler/memory_layout.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// Returns MemoryLayout::stepTimes.
/// \param nodes  the program of each step of \p image; entries may be null
std::vector<std::uint32_t> timesOfSteps(std::span<const graph::ProgramNode *const> nodes,
                                        const wire::Image &image, const Liveness &liveness,
                                        const MemoryLayout &layout);

} // namespace copse::compiler
