#pragma once

#include "worker_costs.hpp"

#include <cstdint>

namespace copse::popc {

/// The worker cycles of one execution of a block: its instructions in their order, of which two
/// neighbours of different lanes are issued together if the second does not need the first.
///
/// The order is the source's. PopLibs' loops and the published bandwidth of STREAM triad show that
/// the tile's compiler does not reorder instructions to fill both lanes (docs/timing-model.md).
std::uint64_t cyclesOf(const llvm_text::Function &function, std::size_t block,
                       const WorkerCosts &costs);

} // namespace copse::popc
