#pragma once

#include <poplin/MatMul.hpp>

namespace popsparse {
namespace dynamic {

/// Accepted where the public sources pass a cache of plans. Planning takes no time here, so the
/// cache holds nothing.
class PlanningCache {
public:
  ///@{

  /// Makes a cache.
  PlanningCache() = default;
  PlanningCache(poplin::matmul::PlanningCache *) {}
  ///@}
};

} // namespace dynamic
} // namespace popsparse
