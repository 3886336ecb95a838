#pragma once

#include <poplin/MatMul.hpp>

namespace popsparse {
namespace dynamic {

/// Is accepted where plans could be kept. Plans here take no time.
class PlanningCache {
public:
  ///@{

  /// Makes a cache that keeps nothing.
  PlanningCache() = default;
  PlanningCache(poplin::matmul::PlanningCache *) {}
  ///@}
};

} // namespace dynamic
} // namespace popsparse
