#pragma once

#include <cstdint>
#include <functional>

namespace poplar {

class Target;
class VertexIntrospector;

/// An older name of PerfEstimateFunc, without floating-point operations. Returns [worker cycles].
using CycleEstimateFunc = std::function<std::uint64_t(const VertexIntrospector &, const Target &)>;

} // namespace poplar
