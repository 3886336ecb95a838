#pragma once

#include <cstdint>
#include <functional>

namespace poplar {

class Target;
class VertexIntrospector;

/// Holds what one execution of a vertex costs.
struct VertexPerfEstimate {
  /// Makes an estimate, by default of no cost.
  VertexPerfEstimate(std::uint64_t c = 0, std::uint64_t f = 0) : cycles(c), flops(f) {}
  /// The time, as in Graph::setPerfEstimate().
  std::uint64_t cycles;
  /// The floating-point operations.
  std::uint64_t flops;
};

/// A function that estimates a vertex from its fields. Called when an engine is built.
using PerfEstimateFunc =
    std::function<VertexPerfEstimate(const VertexIntrospector &, const Target &)>;

} // namespace poplar
