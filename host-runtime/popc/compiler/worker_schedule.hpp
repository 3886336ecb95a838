#pragma once

#include "worker_costs.hpp"

#include <cstdint>
#include <vector>

namespace copse::popc {

/// Returns the worker cycles of one execution of a block. Instructions are issued in order. In a
/// loop that the hardware repeats (`rpt`), two neighbours of different lanes are issued together if
/// the second does not depend on the first.
///
/// The order is the order of the source: PopLibs' loops and the published bandwidth of STREAM triad
/// show that the tile's compiler does not reorder instructions to fill both lanes. The body of a
/// `rpt` must consist of bundles, so the compiler forms bundles there; published times of stencils
/// leave no room for bundles in other loops (docs/timing-model.md).
/// \returns the cycles before each instruction that is not only for debuggers, and at the end the
///   cycles of the whole block; shape [instructions + 1]
std::vector<std::uint64_t> cyclesOf(const llvm::BasicBlock &block, const WorkerCosts &costs);

} // namespace copse::popc
