#pragma once

#include <cstdint>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>

namespace copse::tile_work {

/// Estimates of loops as an assembly programmer would write them for a worker.

/// Cycles of one worker that issues \p instructions: it has one issue slot of each round.
inline std::uint64_t workerCycles(const poplar::Target &target, std::uint64_t instructions) {
  return instructions * target.getNumWorkerContexts();
}

/// Reading a vertex's state, working out the worker's part, leaving.
constexpr std::uint64_t kVertexInstructions = 14;

/// Returns the largest number of elements that one of a tile's workers gets of \p elements.
inline std::uint64_t largestWorkerShare(const poplar::Target &target, std::uint64_t elements,
                                        std::uint64_t grain) {
  const std::uint64_t workers = target.getNumWorkerContexts();
  const std::uint64_t grains = (elements + grain - 1) / grain;
  return (grains + workers - 1) / workers * grain;
}

} // namespace copse::tile_work
