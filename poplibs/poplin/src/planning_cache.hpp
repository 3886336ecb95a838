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

/// From the cache, if there is one that has it; else made, and kept there.
plan::Plan planFor(const ConvParams &params, const poplar::Target &target,
                   const plan::Demands &demands, PlanningCache *cache);

} // namespace poplin
