#pragma once

#include <cstddef>
#include <memory>

namespace poplin {

class PlanningCacheImpl;

/// Plans of matrix products and convolutions that have been made, to be found again. Only speeds up
/// the construction of graphs: no result depends on a cache. One thread at a time.
class PlanningCache {
public:
  PlanningCache();
  PlanningCache(const PlanningCache &) = delete;
  PlanningCache &operator=(const PlanningCache &) = delete;
  ~PlanningCache();

  std::size_t size() const; ///< plans in the cache
  PlanningCacheImpl &getImpl() const { return *impl; }

  std::unique_ptr<PlanningCacheImpl> impl;
};

namespace matmul {

/// The same cache by the name that programs with matrix products alone use.
class PlanningCache : public poplin::PlanningCache {};

} // namespace matmul
} // namespace poplin
