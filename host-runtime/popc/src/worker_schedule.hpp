#pragma once

#include "worker_costs.hpp"

#include <cstdint>
#include <vector>

namespace copse::popc {

/// Returns the worker cycles of one execution of a block. Instructions are issued in order; two
/// neighbours of different lanes are issued together if the second does not depend on the first.
///
/// The order is the order of the source: PopLibs' loops and the published bandwidth of STREAM triad
/// show that the tile's compiler does not reorder instructions to fill both lanes
/// (docs/timing-model.md).
/// \returns the cycles before each instruction, and at the end the cycles of the whole block; shape
///   [instructions of the block + 1]
std::vector<std::uint64_t> cyclesOf(const llvm_text::Function &function, std::size_t block,
                                    const WorkerCosts &costs);

} // namespace copse::popc
