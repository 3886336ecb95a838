#pragma once

#include <cstdint>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>

namespace copse::tile_work {

// Cycle estimates of worker loops that are written as an assembly programmer would write them.

/// Returns the cycles that one worker takes for \p instructions: it issues one instruction in each
/// round of all workers.
inline std::uint64_t workerCycles(const poplar::Target &target, std::uint64_t instructions) {
  return instructions * target.getNumWorkerContexts();
}

/// Instructions of a worker besides its loop: to read the vertex's state, work out its part, and
/// return.
constexpr std::uint64_t kVertexInstructions = 14;

/// Returns the largest number of elements that a worker gets when a tile's workers share \p
/// elements.
inline std::uint64_t largestWorkerShare(const poplar::Target &target, std::uint64_t elements,
                                        std::uint64_t grain) {
  const std::uint64_t workers = target.getNumWorkerContexts();
  const std::uint64_t grains = (elements + grain - 1) / grain;
  return (grains + workers - 1) / workers * grain;
}

} // namespace copse::tile_work
