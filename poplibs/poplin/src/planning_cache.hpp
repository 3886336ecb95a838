#pragma once

#include "plan.hpp"
#include "poplin/PlanningCache.hpp"

#include <map>
#include <tuple>

namespace poplin {

class PlanningCacheImpl {
public:
  using Key = std::tuple<ConvParams, plan::Demands, poplar::Target>;
  std::map<Key, plan::Plan> plans;
};

/// Returns the plan from the cache; without one, makes the plan and caches it.
plan::Plan planFor(const ConvParams &params, const poplar::Target &target,
                   const plan::Demands &demands, PlanningCache *cache);

} // namespace poplin
