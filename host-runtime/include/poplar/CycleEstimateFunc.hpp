#pragma once

#include <cstdint>
#include <functional>

namespace poplar {

class Target;
class VertexIntrospector;

/// The name that PerfEstimateFunc had before it counted floating-point operations. [worker cycles]
using CycleEstimateFunc = std::function<std::uint64_t(const VertexIntrospector &, const Target &)>;

} // namespace poplar
