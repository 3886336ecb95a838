#pragma once

#include "fabric_model.hpp"
#include "plan.hpp"
#include "ring.hpp"

#include <cstdint>

namespace gcl {

/// The machine that a plan runs on.
struct PlanSetting {
  const Ring &ring;
  unsigned ipusPerReplica = 1;
  std::uint64_t rowBytes = 0; ///< size of a row on one IPU
  unsigned tiles = 1;         ///< number of tiles of one IPU that hold the rows
};

struct PlanCost {
  std::uint64_t cycles = 0;
  std::uint64_t busiestLinkBytes = 0; ///< summed over the steps
};

/// Returns the modelled cycles of a plan's steps: syncs, exchanges and vertices.
PlanCost costOf(const Plan &plan, const PlanSetting &setting, const FabricModel &model);

} // namespace gcl
