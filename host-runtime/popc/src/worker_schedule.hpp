#pragma once

#include "worker_costs.hpp"

#include <cstdint>
#include <vector>

namespace copse::popc {

/// The worker cycles of one execution of a block: its instructions in their order, of which two
/// neighbours of different lanes are issued together if the second does not need the first.
///
/// The order is the source's. PopLibs' loops and the published bandwidth of STREAM triad show that
/// the tile's compiler does not reorder instructions to fill both lanes (docs/timing-model.md).
/// \returns what all instructions before each take, and at the end what the whole block takes;
///          shape [instructions of the block + 1]
std::vector<std::uint64_t> cyclesOf(const llvm_text::Function &function, std::size_t block,
                                    const WorkerCosts &costs);

} // namespace copse::popc
