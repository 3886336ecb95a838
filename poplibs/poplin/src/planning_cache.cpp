#include "planning_cache.hpp"

namespace poplin {

PlanningCache::PlanningCache() : impl(new PlanningCacheImpl) {}
PlanningCache::~PlanningCache() = default;
std::size_t PlanningCache::size() const { return impl->plans.size(); }

plan::Plan planFor(const ConvParams &params, const poplar::Target &target,
                   const plan::Demands &demands, PlanningCache *cache) {
  if (cache == nullptr)
    return plan::makePlan(params, target, demands);
  auto &plans = cache->getImpl().plans;
  PlanningCacheImpl::Key key(params, demands, target);
  const auto found = plans.find(key);
  if (found != plans.end())
    return found->second;
  return plans.emplace(std::move(key), plan::makePlan(params, target, demands)).first->second;
}

} // namespace poplin
