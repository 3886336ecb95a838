#pragma once

#include <cstddef>
#include <memory>

namespace poplin {

/// The implementation of a PlanningCache.
class PlanningCacheImpl;

/// Stores the plans of matrix products and convolutions for reuse. A cache only speeds up the
/// construction of graphs: no result depends on it. One thread at a time.
class PlanningCache {
public:
  /// Makes an empty cache.
  PlanningCache();

  ///@{

  /// Caches are not copied.
  PlanningCache(const PlanningCache &) = delete;
  PlanningCache &operator=(const PlanningCache &) = delete;
  ///@}

  /// Forgets all plans.
  ~PlanningCache();

  /// Returns the number of plans in the cache.
  std::size_t size() const;
  /// Returns the implementation; for the library's use.
  PlanningCacheImpl &getImpl() const { return *impl; }

  /// The implementation.
  std::unique_ptr<PlanningCacheImpl> impl;
};

/// The cache of programs with matrix products alone.
namespace matmul {

/// Is the same cache by the name that programs with matrix products alone use.
class PlanningCache : public poplin::PlanningCache {};

} // namespace matmul
} // namespace poplin
