#pragma once

#include <cstdint>
#include <functional>

namespace poplar {

class Target;
class VertexIntrospector;

/// A function that estimates a vertex without floating-point operations; an older form of
/// PerfEstimateFunc.
using CycleEstimateFunc = std::function<std::uint64_t(const VertexIntrospector &, const Target &)>;

} // namespace poplar
