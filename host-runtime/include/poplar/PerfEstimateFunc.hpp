#pragma once

#include <cstdint>
#include <functional>

namespace poplar {

class Target;
class VertexIntrospector;

/// What one execution of a vertex costs.
struct VertexPerfEstimate {
  VertexPerfEstimate(std::uint64_t c = 0, std::uint64_t f = 0) : cycles(c), flops(f) {}
  std::uint64_t cycles; ///< [worker cycles]
  std::uint64_t flops;  ///< floating-point operations
};

/// Estimates a vertex from its fields. Called when an engine is built.
using PerfEstimateFunc =
    std::function<VertexPerfEstimate(const VertexIntrospector &, const Target &)>;

} // namespace poplar
