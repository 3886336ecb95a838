#pragma once

#include <poplin/MatMul.hpp>

namespace popsparse {
namespace dynamic {

/// Accepted where plans could be kept. Plans here take no time.
class PlanningCache {
public:
  PlanningCache() = default;
  PlanningCache(poplin::matmul::PlanningCache *) {}
};

} // namespace dynamic
} // namespace popsparse
